package passthrough

import (
	"context"
	"fmt"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// SliceManager manages the EndpointSlices of the passthrough.
const SliceManager = "control-plane-operator.hypershift.openshift.io"

// ensurePassthrough creates Service and Route for *.apps of a guest below the management cluster's domain, as the
// config operator does, which can read the guest's node port. The Service has no selector: ensureSlices writes its
// EndpointSlices.
func (i Ingress) ensurePassthrough(ctx context.Context, hcp *hyperv1.HostedControlPlane, port int32) error {
	id := hcp.Spec.Platform.Kubevirt.GenerateID
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{
		Namespace: hcp.Namespace, Name: "default-ingress-passthrough-service-" + id,
	}}
	_, err := controllerutil.CreateOrUpdate(ctx, i.Client, s, func() error {
		metadata.Add(&s.Labels, map[string]string{hyperv1.InfraIDLabel: hcp.Spec.InfraID})
		s.Spec.Ports = []corev1.ServicePort{{
			Name: "https-443", Protocol: corev1.ProtocolTCP, Port: 443, TargetPort: intstr.FromInt32(port),
		}}
		s.Spec.Selector, s.Spec.Type = map[string]string{}, corev1.ServiceTypeClusterIP
		return nil
	})
	if err != nil {
		return fmt.Errorf("failed to reconcile kubevirt ingress passthrough service: %w", err)
	}
	route := &routev1.Route{ObjectMeta: metav1.ObjectMeta{
		Namespace: hcp.Namespace, Name: "default-ingress-passthrough-route-" + id,
	}}
	_, err = controllerutil.CreateOrUpdate(ctx, i.Client, route, func() error {
		metadata.Add(&route.Labels, map[string]string{hyperv1.InfraIDLabel: hcp.Spec.InfraID})
		route.Spec.WildcardPolicy = routev1.WildcardPolicySubdomain
		route.Spec.Host = fmt.Sprintf("https.apps.%s.%s", hcp.Name, hcp.Spec.DNS.BaseDomain)
		route.Spec.To.Kind, route.Spec.To.Name = "Service", s.Name
		if route.Spec.TLS == nil {
			route.Spec.TLS = &routev1.TLSConfig{Termination: routev1.TLSTerminationPassthrough}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("failed to reconcile kubevirt ingress passthrough route: %w", err)
	}
	return i.ensureSlices(ctx, hcp, s, port)
}

// ensureSlices writes an EndpointSlice for each machine, owned by its VirtualMachine.
func (i Ingress) ensureSlices(ctx context.Context, hcp *hyperv1.HostedControlPlane, s *corev1.Service,
	port int32) error {
	list := &kubevirtv1.VirtualMachineInstanceList{}
	if err := i.Client.List(ctx, list, client.InNamespace(hcp.Namespace)); err != nil {
		if meta.IsNoMatchError(err) {
			return nil
		}
		return fmt.Errorf("list VirtualMachineInstances in %s: %w", hcp.Namespace, err)
	}
	for at := range list.Items {
		vmi := &list.Items[at]
		if len(vmi.OwnerReferences) == 0 || len(vmi.Status.Interfaces) == 0 || vmi.Status.Interfaces[0].IP == "" {
			continue
		}
		slice := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name + "-" +
			vmi.Name + "-ipv4"}}
		running := vmi.Status.Phase == kubevirtv1.Running && vmi.DeletionTimestamp.IsZero()
		_, err := controllerutil.CreateOrUpdate(ctx, i.Client, slice, func() error {
			slice.OwnerReferences = vmi.OwnerReferences[:1]
			metadata.Add(&slice.Labels, map[string]string{discoveryv1.LabelServiceName: s.Name,
				discoveryv1.LabelManagedBy: SliceManager})
			slice.AddressType = discoveryv1.AddressTypeIPv4
			slice.Endpoints = []discoveryv1.Endpoint{{
				Addresses: []string{vmi.Status.Interfaces[0].IP},
				Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(running), Serving: ptr.To(running),
					Terminating: ptr.To(false)},
			}}
			slice.Ports = []discoveryv1.EndpointPort{{Name: ptr.To("https-443"), Protocol: ptr.To(corev1.ProtocolTCP),
				Port: ptr.To(port)}}
			return nil
		})
		if err != nil {
			return fmt.Errorf("failed to reconcile kubevirt default ingress endpoints: %w", err)
		}
	}
	return nil
}
