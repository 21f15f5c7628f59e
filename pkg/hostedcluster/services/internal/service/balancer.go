package service

import (
	"context"
	"net/netip"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Meta returns the type and the name of an object.
func Meta(kind, apiVersion, name string) (metav1.TypeMeta, metav1.ObjectMeta) {
	return metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}, metav1.ObjectMeta{Name: name}
}

// SecretVolume returns the volume of a Secret, whose files the owner and the group may read.
func SecretVolume(volume, secret string) corev1.Volume {
	const mode = 0o440
	return corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secret, DefaultMode: ptr.To[int32](mode)}}}
}

// Selector returns the labels of a service's pods.
func Selector(name string) map[string]string {
	return map[string]string{hostedcluster.ServiceLabel: name}
}

// Balancer returns the Service of type LoadBalancer for a service's pods. The zero address means any; an empty pool
// means that the load balancer chooses one.
func Balancer(name string, address netip.Addr, pool string, port corev1.ServicePort) *corev1.Service {
	svc := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Selector: Selector(name),
			Ports: []corev1.ServicePort{port}},
	}
	if address.IsValid() {
		// MetalLB 0.13 to 0.15 and other load balancers read the address here.
		svc.Spec.LoadBalancerIP = address.String()
	}
	if pool != "" {
		// From 0.14 on MetalLB's name is metallb.io/address-pool, but it still reads this one.
		svc.Annotations = map[string]string{"metallb.universe.tf/address-pool": pool}
	}
	return svc
}

// Address returns the address of a service's Balancer. The finding is Pending while it has none, or not the wanted one.
// The zero value of want means any address.
func (t Tenant) Address(ctx context.Context, r kube.Reader, name string, want netip.Addr) (string, *step.Finding) {
	svc := &corev1.Service{}
	at := client.ObjectKey{Namespace: t.Namespace(), Name: name}
	f := Look(ctx, r, "Service", at, svc, step.Missing("it is not there"), func() *step.Finding {
		var f step.Finding
		switch {
		case kube.LoadBalancerAddress(svc) == "":
			f = step.Pending("has no address yet")
		case want.IsValid() && kube.LoadBalancerAddress(svc) != want.String():
			f = step.Pending("has the address %s, and not yet %s", kube.LoadBalancerAddress(svc), want)
		default:
			return nil
		}
		f = f.WithHint("oc describe service %s -n %s", at.Name, at.Namespace)
		return &f
	})
	if f != nil {
		return "", f
	}
	return kube.LoadBalancerAddress(svc), nil
}

// uidRange is the annotation of a namespace with the user IDs that OpenShift allows its pods, as FIRST/COUNT or
// FIRST-LAST.
const uidRange = "openshift.io/sa.scc.uid-range"

// UserID returns the user ID of a service's pod: the first that its namespace allows, or else fallback.
func UserID(ns *corev1.Namespace, fallback int64) int64 {
	first, _, _ := strings.Cut(strings.ReplaceAll(ns.Annotations[uidRange], "-", "/"), "/")
	if id, err := strconv.ParseInt(first, 10, 32); err == nil && id > 0 {
		return id
	}
	return fallback
}
