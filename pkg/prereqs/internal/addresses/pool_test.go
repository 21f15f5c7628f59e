package addresses

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestTakenAddressesCountsSharedOnesOnce(t *testing.T) {
	service := func(ip string) corev1.Service {
		s := corev1.Service{}
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: ip}}
		return s
	}
	if got := Taken([]corev1.Service{service("192.0.2.1"), service("192.0.2.1"), service(""),
		service("192.0.2.2")}); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}
