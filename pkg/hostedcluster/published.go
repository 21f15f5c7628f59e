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

// Published is one name, node port or address under which a hosted cluster is reached. Exactly one of Host, Port and
// Address is set.
type Published struct {
	// Host is in lower case. "*.DOMAIN" is every name that has one part more than the domain.
	Host string
	// Routed is set for the host of a Route of the management cluster.
	Routed bool
	// Inherited is set for a domain below the management cluster's own, which Host lacks: "*.apps.NAME".
	Inherited bool
	// Port is a node port that was chosen.
	Port int32
	// Address is that of node ports.
	Address netip.Addr
}

// String is for a sentence: "host api.example.com", "node port 30443".
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

// clashes reports whether two clusters cannot both have them. Any number of clusters may have node ports at one
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

// sameHost reports whether a router would give both to one Route.
func sameHost(a, b string) bool {
	covers := func(wide, host string) bool {
		domain, wildcard := strings.CutPrefix(wide, "*.")
		_, parent, _ := strings.Cut(host, ".")
		return wildcard && host != "" && domain == parent
	}
	return a != "" && a == b || covers(a, b) || covers(b, a)
}

// PublishedBy are the names, node ports and addresses that a HostedCluster asks for.
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

// TakenError means that another object has a name, node port or address that a hosted cluster asks for: the cluster
// waits for it to be free.
type TakenError struct {
	failure.Absence
	// What is taken.
	What Published
	// Owner is who has it: "Route ns/name of hosted cluster clusters/kv-00".
	Owner string
}

// Error is one sentence.
func (e *TakenError) Error() string { return fmt.Sprintf("%s is that of %s", e.What, e.Owner) }

// Taken returns the first of what is wanted for the HostedCluster that another HostedCluster, Route or Service has; nil
// if all is free. Routes and Services are read only where one of them could have it.
func Taken(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, wanted []Published) (*TakenError, error) {
	others := &hyperv1.HostedClusterList{}
	if err := r.List(ctx, others); err != nil {
		return nil, fmt.Errorf("list HostedClusters: %w", err)
	}
	// own is the control plane's namespace, planes those of the others.
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

// TakenBy returns the first of what is wanted that another HostedCluster asks for; nil if all is free.
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
			// A name of the cluster's own that is no Route's may be below the domain of a wildcard.
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

// serves reports whether a Service has the node port, or the address from a load balancer or from outside.
func serves(s *corev1.Service, p Published) bool {
	if p.Port != 0 {
		return slices.ContainsFunc(s.Spec.Ports, func(port corev1.ServicePort) bool { return port.NodePort == p.Port })
	}
	return p.Address.IsValid() && (slices.Contains(s.Spec.ExternalIPs, p.Address.String()) ||
		slices.ContainsFunc(s.Status.LoadBalancer.Ingress, func(in corev1.LoadBalancerIngress) bool {
			return in.IP == p.Address.String()
		}))
}

// The labels of KubeVirt's cloud provider on its Services for those of the hosted cluster (cloud-provider-kubevirt,
// pkg/provider/loadbalancer.go), and the name of the Service by which *.apps leads to the worker VMs (HyperShift,
// manifests of the hosted cluster's config operator).
const (
	tenantServiceLabel   = "cluster.x-k8s.io/tenant-service-name"
	tenantNamespaceLabel = "cluster.x-k8s.io/tenant-service-namespace"
	passthroughService   = "default-ingress-passthrough-service"
)

// MirroredService returns the Service of the hosted cluster, as "namespace/name", that a Service of the control plane's
// namespace stands for; empty if it stands for none.
func MirroredService(s *corev1.Service) string {
	if s.Labels[tenantServiceLabel] == "" {
		return ""
	}
	return s.Labels[tenantNamespaceLabel] + "/" + s.Labels[tenantServiceLabel]
}

// LeadsToWorkers reports whether a Service of the control plane's namespace leads to the worker VMs: *.apps, and what
// stands for a Service of type LoadBalancer of the hosted cluster.
func LeadsToWorkers(s *corev1.Service) bool {
	return MirroredService(s) != "" || strings.HasPrefix(s.Name, passthroughService)
}
