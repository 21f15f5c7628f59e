// Package passthrough simulates the way to a guest's applications: the guest's router on ports of its nodes, and what
// the config operator creates for it beside the control plane.
package passthrough

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// The guest's own router, on ports of its nodes (endpointPublishingStrategy NodePortService on KubeVirt).
const (
	routerNamespace = "openshift-ingress"
	routerService   = "router-nodeport-default"
	routerSelector  = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller"
)

// OwningIngress marks what belongs to a router of the guest.
const OwningIngress = "ingresscontroller.operator.openshift.io/owning-ingresscontroller"

// Ingress makes and checks the way to a guest's applications.
type Ingress struct {
	// Cached reads Services and Routes, Client everything else; it also writes.
	Cached client.Reader
	Client client.Client
	// DNSMissing tells that no DNS record leads to a base domain of a guest's own.
	DNSMissing func() bool
}

// Wanted reports whether the guest has its Ingress capability, and so a router and a console.
func Wanted(hcp *hyperv1.HostedControlPlane) bool {
	if hcp.Spec.Capabilities == nil {
		return true
	}
	for _, c := range hcp.Spec.Capabilities.Disabled {
		if c == hyperv1.IngressCapability {
			return false
		}
	}
	return true
}

// Ensure creates the router of a guest of this version and, in releases that do so, the passthrough to it; it returns
// whether a request arrives. Users create the passthrough for releases before 4.12.2, and always with a base domain of
// their own.
func (i Ingress) Ensure(ctx context.Context, hcp *hyperv1.HostedControlPlane, version string,
	in client.Client) (guest.AppsAccess, error) {
	if !Wanted(hcp) {
		return guest.AppsAccess{Reachable: true}, nil
	}
	port, err := ensureRouter(ctx, hcp.Namespace, in)
	if err != nil {
		return guest.AppsAccess{}, err
	}
	apps := fmt.Sprintf("apps.%s.%s", hcp.Name, hcp.Spec.DNS.BaseDomain)
	console := "console-openshift-console." + apps
	if !underManagementDomain(hcp) {
		return i.checkCustomDomain(ctx, hcp, port, console)
	}
	if createsPassthrough(version) {
		if err := i.ensurePassthrough(ctx, hcp, port); err != nil {
			return guest.AppsAccess{}, err
		}
	}
	return i.checkPassthrough(ctx, hcp, port, apps, console)
}

// underManagementDomain reports whether the guest's applications are below the management cluster's domain.
func underManagementDomain(hcp *hyperv1.HostedControlPlane) bool {
	kv := hcp.Spec.Platform.Kubevirt
	return kv != nil && ptr.Deref(kv.BaseDomainPassthrough, false)
}

// createsPassthrough reports whether this version creates the passthrough through the management cluster's wildcard
// domain (4.12.2 and later).
func createsPassthrough(version string) bool {
	minor := release.Minor(version)
	return minor > 12 || minor == 12 && release.Patch(version) >= 2
}

// ensureRouter creates the guest's router Service and returns its node port for HTTPS. The Service requests fixed
// ports, so that a guest without an API server has them too.
func ensureRouter(ctx context.Context, namespace string, guest client.Client) (int32, error) {
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: routerNamespace, Name: routerService}}
	err := guest.Get(ctx, client.ObjectKeyFromObject(s), s)
	if apierrors.IsNotFound(err) {
		s.Labels = map[string]string{"app": "router", OwningIngress: "default", "router": routerService}
		port := routerPort(namespace)
		s.Spec = corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Selector: map[string]string{routerSelector: "default"},
			Ports: []corev1.ServicePort{
				{Name: "http", Port: 80, Protocol: corev1.ProtocolTCP, NodePort: port},
				{Name: "https", Port: 443, Protocol: corev1.ProtocolTCP, NodePort: port + 1},
				{Name: "metrics", Port: 1936, Protocol: corev1.ProtocolTCP, NodePort: port + 2},
			},
		}
		err = guest.Create(ctx, s)
	}
	if err != nil {
		return 0, fmt.Errorf("keep Service %s/%s of the guest: %w", routerNamespace, routerService, err)
	}
	for _, p := range s.Spec.Ports {
		if p.Port == 443 {
			return p.NodePort, nil
		}
	}
	return 0, fmt.Errorf("Service %s/%s of the guest has no port 443", routerNamespace, routerService)
}

// routerPort is the first of three node ports of a guest's router.
func routerPort(namespace string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(namespace))
	return 30000 + int32(h.Sum32()%900)*3
}

// checkPassthrough looks for a Route, of any name and origin, through which the management cluster's router serves
// *.apps.
func (i Ingress) checkPassthrough(ctx context.Context, hcp *hyperv1.HostedControlPlane, port int32, apps,
	console string) (guest.AppsAccess, error) {
	routes := &routev1.RouteList{}
	if err := i.Cached.List(ctx, routes, client.InNamespace(hcp.Namespace)); err != nil {
		return guest.AppsAccess{}, fmt.Errorf("list Routes in %s: %w", hcp.Namespace, err)
	}
	for at := range routes.Items {
		route := &routes.Items[at]
		_, domain, _ := strings.Cut(route.Spec.Host, ".")
		if route.Spec.WildcardPolicy != routev1.WildcardPolicySubdomain || domain != apps || !reconciler.Admitted(route) ||
			route.Spec.TLS == nil || route.Spec.TLS.Termination != routev1.TLSTerminationPassthrough ||
			route.Spec.To.Kind != "Service" {
			continue
		}
		if reaches, err := i.reaches(ctx, hcp.Namespace, route.Spec.To.Name, port); err != nil || reaches {
			return guest.AppsAccess{Reachable: reaches}, err
		}
	}
	return guest.AppsAccess{Why: msgConsoleUnavailable(console)}, nil
}

// checkCustomDomain looks for the user's load balancer for *.apps of a custom base domain, and for its DNS record.
// Assumed, as a sandbox has no DNS: so a Service with an address counts as a name that resolves.
func (i Ingress) checkCustomDomain(ctx context.Context, hcp *hyperv1.HostedControlPlane, port int32,
	console string) (guest.AppsAccess, error) {
	lost := guest.AppsAccess{Why: msgConsoleUnresolved(console)}
	list := &corev1.ServiceList{}
	if err := i.Cached.List(ctx, list, client.InNamespace(hcp.Namespace)); err != nil {
		return guest.AppsAccess{}, fmt.Errorf("list Services in %s: %w", hcp.Namespace, err)
	}
	for at := range list.Items {
		s := &list.Items[at]
		if s.Spec.Type != corev1.ServiceTypeLoadBalancer || reconciler.LoadBalancerAddress(s) == "" ||
			i.DNSMissing() {
			continue
		}
		if reaches, err := i.reaches(ctx, hcp.Namespace, s.Name, port); err != nil || reaches {
			return guest.AppsAccess{Reachable: reaches}, err
		}
	}
	return lost, nil
}

// reaches reports whether port 443 of a Service leads to the router's port on a machine. It reads the EndpointSlices,
// which the real controller writes for a Service with a selector.
func (i Ingress) reaches(ctx context.Context, namespace, service string, port int32) (bool, error) {
	s := &corev1.Service{}
	if err := i.Cached.Get(ctx, client.ObjectKey{Namespace: namespace, Name: service}, s); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	name, found := "", false
	for _, p := range s.Spec.Ports {
		if p.Port == 443 {
			name, found = p.Name, true
		}
	}
	if !found {
		return false, nil
	}
	slices := &discoveryv1.EndpointSliceList{}
	if err := i.Client.List(ctx, slices, client.InNamespace(namespace),
		client.MatchingLabels{discoveryv1.LabelServiceName: service}); err != nil {
		return false, fmt.Errorf("list EndpointSlices of Service %s/%s: %w", namespace, service, err)
	}
	for at := range slices.Items {
		if leads(&slices.Items[at], name, port) {
			return true, nil
		}
	}
	return false, nil
}

func leads(slice *discoveryv1.EndpointSlice, name string, port int32) bool {
	match := false
	for _, p := range slice.Ports {
		match = match || ptr.Deref(p.Name, "") == name && ptr.Deref(p.Port, 0) == port
	}
	for _, e := range slice.Endpoints {
		if match && ptr.Deref(e.Conditions.Ready, true) && len(e.Addresses) > 0 {
			return true
		}
	}
	return false
}

func msgConsoleUnresolved(host string) string {
	return fmt.Sprintf(
		`RouteHealthAvailable: failed to GET route (https://%s): Get "https://%s": dial tcp: `+
			`lookup %s on 172.31.0.10:53: no such host`,
		host, host, host)
}

// Made up, as it was not recorded: the console's message when the management cluster's router does not know the host.
func msgConsoleUnavailable(host string) string {
	return fmt.Sprintf("RouteHealthAvailable: route not yet available, https://%s returns '503 Service Unavailable'", host)
}
