package hostedcluster

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Published is one host name, node port or address of a hosted cluster's endpoints. Exactly one of Host, Port and
// Address is set.
type Published struct {
	// Host is in lower case. "*.DOMAIN" means every name with exactly one more label than the domain.
	Host string
	// Routed is set for the host of a Route of the management cluster.
	Routed bool
	// Inherited is set for a domain below the management cluster's own domain, which Host omits: "*.apps.NAME".
	Inherited bool
	// Port is a node port that the user chose.
	Port int32
	// Address is the address of the node ports.
	Address netip.Addr
}

// String returns the endpoint as text, such as "host api.example.com" or "node port 30443".
func (p Published) String() string {
	switch {
	case p.Inherited:
		return "host " + p.Host + " below the management cluster's domain"
	case p.Host != "":
		return "host " + p.Host
	case p.Port != 0:
		return fmt.Sprintf("node port %d", p.Port)
	}
	return "address " + p.Address.String()
}

// clashes reports whether two clusters cannot have both endpoints. Any number of clusters may have node ports at one
// address.
func (p Published) clashes(q Published) bool {
	switch {
	case p.Host != "":
		return p.Inherited == q.Inherited && sameHost(p.Host, q.Host)
	case p.Port != 0:
		return p.Port == q.Port
	}
	return false
}

// sameHost reports whether a router would admit only one Route with these two hosts.
func sameHost(a, b string) bool {
	covers := func(wide, host string) bool {
		domain, wildcard := strings.CutPrefix(wide, "*.")
		_, parent, _ := strings.Cut(host, ".")
		return wildcard && host != "" && domain == parent
	}
	return a != "" && a == b || covers(a, b) || covers(b, a)
}

// PublishedBy returns the host names, node ports and addresses that a HostedCluster requests.
func PublishedBy(hc *hyperv1.HostedCluster) []Published {
	var all []Published
	host := func(name string, routed bool) {
		if name != "" {
			all = append(all, Published{Host: strings.ToLower(name), Routed: routed})
		}
	}
	for _, s := range hc.Spec.Services {
		switch {
		case s.Route != nil:
			host(s.Route.Hostname, true)
		case s.LoadBalancer != nil:
			host(s.LoadBalancer.Hostname, false)
		case s.NodePort != nil:
			if s.NodePort.Port != 0 {
				all = append(all, Published{Port: s.NodePort.Port})
			}
			if a, err := netip.ParseAddr(s.NodePort.Address); err == nil {
				all = append(all, Published{Address: a})
			}
		}
	}
	host(hc.Spec.KubeAPIServerDNSName, false)
	if prefix := ptr.Deref(hc.Spec.DNS.BaseDomainPrefix, hc.Name); BaseDomainPassthrough(hc.Spec) {
		all = append(all, Published{Host: "*.apps." + prefix, Inherited: true})
	} else if hc.Spec.DNS.BaseDomain != "" {
		parts := slices.DeleteFunc([]string{"*.apps", prefix, hc.Spec.DNS.BaseDomain}, func(s string) bool { return s == "" })
		host(strings.Join(parts, "."), true)
	}
	return all
}

// TakenError means that another object has a host name, node port or address that a hosted cluster requests. The
// cluster waits until it is free.
type TakenError struct {
	failure.Absence
	// What is the requested host, node port or address.
	What Published
	// Owner is the object that has it: "Route ns/name of hosted cluster clusters/kv-00".
	Owner string
}

// Error returns the endpoint and its owner.
func (e *TakenError) Error() string { return fmt.Sprintf("%s is that of %s", e.What, e.Owner) }

// Taken returns the first wanted endpoint of the HostedCluster that another HostedCluster, Route or Service has; nil if
// all are free. Routes and Services are read only if one of them could have it.
func Taken(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, wanted []Published) (*TakenError, error) {
	others := &hyperv1.HostedClusterList{}
	if err := r.List(ctx, others); err != nil {
		return nil, fmt.Errorf("list HostedClusters: %w", err)
	}
	// own is this cluster's control plane namespace. planes maps the control plane namespaces of the others to their
	// clusters.
	own, planes := ControlPlaneNamespace(hc.Namespace, hc.Name), map[string]string{}
	others.Items = slices.DeleteFunc(others.Items, func(o hyperv1.HostedCluster) bool {
		return o.Namespace == hc.Namespace && o.Name == hc.Name
	})
	for i := range others.Items {
		planes[ControlPlaneNamespace(others.Items[i].Namespace, others.Items[i].Name)] = kube.Name(&others.Items[i])
	}
	owned := func(kind, namespace, name string) string {
		owner := kind + " " + namespace + "/" + name
		if of := planes[namespace]; of != "" {
			owner += " of hosted cluster " + of
		}
		return owner
	}
	if t, err := takenByRoute(ctx, r, wanted, own, owned); t != nil || err != nil {
		return t, err
	}
	if t, err := takenByService(ctx, r, wanted, own, owned); t != nil || err != nil {
		return t, err
	}
	for i := range others.Items {
		if t := TakenBy(wanted, &others.Items[i]); t != nil {
			return t, nil
		}
	}
	return nil, nil
}

// TakenBy returns the first wanted endpoint that another HostedCluster requests; nil if all are free.
func TakenBy(wanted []Published, other *hyperv1.HostedCluster) *TakenError {
	for _, have := range PublishedBy(other) {
		for _, want := range wanted {
			if want.clashes(have) {
				return &TakenError{What: want, Owner: "hosted cluster " + kube.Name(other)}
			}
		}
	}
	return nil
}

func takenByRoute(ctx context.Context, r kube.Reader, wanted []Published, own string,
	owned func(kind, namespace, name string) string) (*TakenError, error) {
	named := func(p Published) bool { return p.Host != "" && !p.Inherited }
	if !slices.ContainsFunc(wanted, named) {
		return nil, nil
	}
	routes := &routev1.RouteList{}
	if err := r.List(ctx, routes); err != nil {
		return nil, fmt.Errorf("list Routes: %w", err)
	}
	for i := range routes.Items {
		route := &routes.Items[i]
		have := Published{Host: strings.ToLower(route.Spec.Host), Routed: true}
		if _, domain, ok := strings.Cut(have.Host, "."); ok && route.Spec.WildcardPolicy == routev1.WildcardPolicySubdomain {
			have.Host = "*." + domain
		}
		for _, want := range wanted {
			// A host that is not a Route may be below the domain of a wildcard Route: only an equal host clashes.
			exact := want.Routed || want.Host == have.Host
			if named(want) && route.Namespace != own && exact && want.clashes(have) {
				return &TakenError{What: want, Owner: owned("Route", route.Namespace, route.Name)}, nil
			}
		}
	}
	return nil, nil
}

func takenByService(ctx context.Context, r kube.Reader, wanted []Published, own string,
	owned func(kind, namespace, name string) string) (*TakenError, error) {
	if !slices.ContainsFunc(wanted, func(p Published) bool { return p.Host == "" }) {
		return nil, nil
	}
	services := &corev1.ServiceList{}
	if err := r.List(ctx, services); err != nil {
		return nil, fmt.Errorf("list Services: %w", err)
	}
	for i := range services.Items {
		s := &services.Items[i]
		for _, want := range wanted {
			if s.Namespace != own && serves(s, want) {
				return &TakenError{What: want, Owner: owned("Service", s.Namespace, s.Name)}, nil
			}
		}
	}
	return nil, nil
}

// serves reports whether a Service has the node port, or the address as a load balancer or external IP.
func serves(s *corev1.Service, p Published) bool {
	if p.Port != 0 {
		return slices.ContainsFunc(s.Spec.Ports, func(port corev1.ServicePort) bool { return port.NodePort == p.Port })
	}
	return p.Address.IsValid() && (slices.Contains(s.Spec.ExternalIPs, p.Address.String()) ||
		slices.ContainsFunc(s.Status.LoadBalancer.Ingress, func(in corev1.LoadBalancerIngress) bool {
			return in.IP == p.Address.String()
		}))
}

// Labels that KubeVirt's cloud provider sets on its Services for the hosted cluster's Services
// (cloud-provider-kubevirt, pkg/provider/loadbalancer.go), and the name prefix of the Service that leads *.apps to the
// worker VMs (HyperShift, manifests of the hosted cluster's config operator).
const (
	tenantServiceLabel   = "cluster.x-k8s.io/tenant-service-name"
	tenantNamespaceLabel = "cluster.x-k8s.io/tenant-service-namespace"
	passthroughService   = "default-ingress-passthrough-service"
)

// MirroredService returns the hosted cluster's Service, "namespace/name", that a Service in the control plane namespace
// mirrors; empty if there is none.
func MirroredService(s *corev1.Service) string {
	if s.Labels[tenantServiceLabel] == "" {
		return ""
	}
	return s.Labels[tenantNamespaceLabel] + "/" + s.Labels[tenantServiceLabel]
}

// LeadsToWorkers reports whether a Service in the control plane namespace leads to the worker VMs: the Service of
// *.apps, or the mirror of a LoadBalancer Service of the hosted cluster.
func LeadsToWorkers(s *corev1.Service) bool {
	return MirroredService(s) != "" || strings.HasPrefix(s.Name, passthroughService)
}
