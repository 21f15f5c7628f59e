package service

import (
	"context"
	"net/netip"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Selector are the labels of the pods of a service.
func Selector(name string) map[string]string {
	return map[string]string{hostedcluster.ServiceLabel: name}
}

// Balancer is the Service of type LoadBalancer of a service, before whose pods it stands. Address is the zero value for
// any, pool is empty where the load balancer chooses.
func Balancer(name string, address netip.Addr, pool string, port corev1.ServicePort) *corev1.Service {
	svc := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Selector: Selector(name),
			Ports: []corev1.ServicePort{port}},
	}
	if address.IsValid() {
		// MetalLB 0.13 to 0.15 and other load balancers take it from here.
		svc.Spec.LoadBalancerIP = address.String()
	}
	if pool != "" {
		// MetalLB from 0.14 on calls it metallb.io/address-pool, and still reads this one.
		svc.Annotations = map[string]string{"metallb.universe.tf/address-pool": pool}
	}
	return svc
}

// Address is where people reach a service by its Balancer; pending as long as it has none, or another one than is
// wanted. A want that is the zero value is any.
func (t Tenant) Address(ctx context.Context, r kube.Reader, name string, want netip.Addr) (string, *step.Finding) {
	svc := &corev1.Service{}
	at := client.ObjectKey{Namespace: t.Namespace(), Name: name}
	f := Look(ctx, r, "Service", at, svc, step.Missing("it is not there"), func() *step.Finding {
		var f step.Finding
		switch {
		case AddressOf(svc) == "":
			f = step.Pending("has no address yet")
		case want.IsValid() && AddressOf(svc) != want.String():
			f = step.Pending("has the address %s, and not yet %s", AddressOf(svc), want)
		default:
			return nil
		}
		f = f.WithHint("oc describe service %s -n %s", at.Name, at.Namespace)
		return &f
	})
	if f != nil {
		return "", f
	}
	return AddressOf(svc), nil
}

// AddressOf is the address or the host name that the load balancer gave.
func AddressOf(svc *corev1.Service) string {
	for _, ingress := range svc.Status.LoadBalancer.Ingress {
		if ingress.IP != "" {
			return ingress.IP
		}
		if ingress.Hostname != "" {
			return ingress.Hostname
		}
	}
	return ""
}

// uidRange is the annotation of a namespace with the users that OpenShift lets its pods run as, FIRST/COUNT or
// FIRST-LAST.
const uidRange = "openshift.io/sa.scc.uid-range"

// UserID is the user that a pod of a service runs as: the first of those of its namespace, else plain.
func UserID(ns *corev1.Namespace, plain int64) int64 {
	first, _, _ := strings.Cut(strings.ReplaceAll(ns.Annotations[uidRange], "-", "/"), "/")
	if id, err := strconv.ParseInt(first, 10, 32); err == nil && id > 0 {
		return id
	}
	return plain
}
