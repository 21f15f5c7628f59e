package follow

import (
	"context"
	"fmt"
	"maps"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// routerService is the Service of the hosted cluster's router, created by its ingress operator. The management cluster
// sends to its node ports.
var routerService = client.ObjectKey{Namespace: "openshift-ingress", Name: "router-nodeport-default"}

// routerPorts returns the node ports of the hosted cluster's router by their names, "http" and "https".
func (f *Cluster) routerPorts(
	ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (map[string]int32, error) {
	router := &corev1.Service{}
	if err := f.withGuest(ctx, r, hc, func(ctx context.Context, hosted kube.Reader) error {
		return hosted.Get(ctx, routerService, router)
	}); err != nil {
		return nil, err
	}
	ports := map[string]int32{}
	for _, p := range router.Spec.Ports {
		if p.NodePort > 0 {
			ports[p.Name] = p.NodePort
		}
	}
	if ports["https"] == 0 {
		return nil, fmt.Errorf("service %s of the hosted cluster has no node port https", routerService)
	}
	return ports, nil
}

// serviceReady is OK when a Service of the management cluster sends to the router's node ports and has an address, if
// it needs one.
func (f *Cluster) serviceReady(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	ports, err := f.routerPorts(ctx, r, hc)
	switch {
	case apierrors.IsNotFound(err):
		return step.Pending("the hosted cluster has no router yet").On("Service %s of the hosted cluster",
			routerService).RecheckAfter(guest.Timeout)
	case err != nil:
		return guest.Unknown("the hosted cluster cannot be asked for the ports of its router", err, hc)
	}
	want, have := appsService(hc, ports), &corev1.Service{}
	object := "Service " + kube.Name(want)
	err = r.Get(ctx, client.ObjectKeyFromObject(want), have)
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("does not exist; node port of the router: %d", ports["https"]).On("%s", object)
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	case !samePorts(have, want):
		return step.Missing("does not send to the router's node ports as they are (%d)", ports["https"]).On("%s", object)
	case have.Spec.Type == corev1.ServiceTypeLoadBalancer && kube.LoadBalancerAddress(have) == "":
		return step.Pending("has no address yet").On("%s", object).WithHint("is an address free? %s",
			hint.Run("check").Flag("only", "load-balancer"))
	case have.Spec.Type == corev1.ServiceTypeLoadBalancer:
		return step.OK("has the address %s", kube.LoadBalancerAddress(have)).On("%s", object)
	}
	return step.OK("sends to the router's node port %d", ports["https"]).On("%s", object)
}

// samePorts reports whether two Services have the same ports and selector.
func samePorts(have, want *corev1.Service) bool {
	targets := func(s *corev1.Service) map[int32]int32 {
		out := map[int32]int32{}
		for _, p := range s.Spec.Ports {
			out[p.Port] = p.TargetPort.IntVal
		}
		return out
	}
	return maps.Equal(targets(have), targets(want)) && maps.Equal(have.Spec.Selector, want.Spec.Selector)
}

// appsService sends to the hosted cluster's router. A cluster with its own base domain gets a load balancer for ports
// 443 and 80, as in HyperShift's documentation for KubeVirt; one with passthrough gets the operators' Service for port
// 443.
func appsService(hc *hyperv1.HostedCluster, ports map[string]int32) *corev1.Service {
	s := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name), Name: hc.Name + "-apps",
			Labels: map[string]string{hyperv1.InfraIDLabel: hc.Spec.InfraID},
		},
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeLoadBalancer,
			Selector: map[string]string{"kubevirt.io": "virt-launcher", hyperv1.InfraIDLabel: hc.Spec.InfraID},
			Ports:    []corev1.ServicePort{servicePort("https-443", 443, ports["https"])},
		},
	}
	if hostedcluster.BaseDomainPassthrough(hc.Spec) {
		s.Name, s.Spec.Type = passthroughName("service", hc), corev1.ServiceTypeClusterIP
	} else if ports["http"] > 0 {
		s.Spec.Ports = append(s.Spec.Ports, servicePort("http-80", 80, ports["http"]))
	}
	hostedcluster.MarkFor(hc).SetOn(s)
	return s
}

func servicePort(name string, port, target int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Protocol: corev1.ProtocolTCP, Port: port, TargetPort: intstr.FromInt32(target)}
}

// passthroughName returns the name that newer operators use, so that there is never a second object.
func passthroughName(what string, hc *hyperv1.HostedCluster) string {
	name := "default-ingress-passthrough-" + what
	if k := hc.Spec.Platform.Kubevirt; k != nil && k.GenerateID != "" {
		name += "-" + k.GenerateID
	}
	return name
}
