package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"

	configv1 "github.com/openshift/api/config/v1"
	"go4.org/netipx"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Span is an address range of one IP family, both ends included, and its use.
type Span struct {
	netipx.IPRange
	// Name describes the owner for a user: "the pods of the management cluster (10.128.0.0/14)".
	Name string
	// Object is the object that defines the range, such as "Network cluster".
	Object string
}

// SpanOf returns the range of the prefix. Its Name is the formatted text and the prefix.
func SpanOf(p netip.Prefix, object, format string, args ...any) Span {
	name := fmt.Sprintf(format, args...) + " (" + p.String() + ")"
	return Span{IPRange: netipx.RangeOfPrefix(p), Object: object, Name: name}
}

// Overlaps reports whether the spans share an address. Spans of different families never do.
func (s Span) Overlaps(o Span) bool { return s.IPRange.Overlaps(o.IPRange) }

// Overlaps returns the pairs of wanted and used spans that share addresses, in the order of wanted.
func Overlaps(wanted, used []Span) [][2]Span {
	var out [][2]Span
	for _, w := range wanted {
		for _, u := range used {
			if w.Overlaps(u) {
				out = append(out, [2]Span{w, u})
			}
		}
	}
	return out
}

// The default subnets of OVN-Kubernetes (operator.openshift.io/v1 Network, OpenShift 4.12 to 5.1). The transit subnets
// exist since 4.14, and counting them earlier does no harm.
const (
	defaultJoinSubnet     = "100.64.0.0/16"
	defaultTransitSubnet  = "100.88.0.0/16"
	defaultJoinSubnet6    = "fd98::/64"
	defaultTransitSubnet6 = "fd97::/64"
)

// Networks are the networks of the management cluster.
type Networks struct {
	// Used has all address ranges that are in use.
	Used []Span
	// Pods and Services are the networks of one or two IP families, the primary family first. They are empty until the
	// network operator reports them.
	Pods, Services []netip.Prefix
}

// Families describes the IP families of networks: "IPv4 only (10.128.0.0/14)".
func Families(networks []netip.Prefix) string {
	switch len(networks) {
	case 0:
		return "none"
	case 1:
		return FamilyOf(networks[0].Addr()) + " only (" + networks[0].String() + ")"
	}
	return "both families"
}

// FamilyOf returns "IPv4" or "IPv6".
func FamilyOf(a netip.Addr) string {
	if a.Unmap().Is4() {
		return "IPv4"
	}
	return "IPv6"
}

// HasFamily reports whether one of the networks has the IP family of the address.
func HasFamily(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return FamilyOf(p.Addr()) == FamilyOf(a) })
}

// ReadServiceNetworks returns the Service networks of the management cluster, the primary family first. It returns none
// if Network cluster does not exist or does not report them yet.
func ReadServiceNetworks(ctx context.Context, r Reader) ([]netip.Prefix, error) {
	network := &configv1.Network{}
	err := r.Get(ctx, client.ObjectKey{Name: "cluster"}, network)
	if client.IgnoreNotFound(err) != nil && !IsKindMissing(err) {
		return nil, fmt.Errorf("read Network cluster: %w", err)
	}
	return ServiceNetworks(network.Status), nil
}

// ServiceNetworks returns the Service networks in the status, without those that cannot be parsed.
func ServiceNetworks(n configv1.NetworkStatus) []netip.Prefix {
	var out []netip.Prefix
	for _, cidr := range n.ServiceNetwork {
		if p, err := netip.ParsePrefix(cidr); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// ReadNetworks reads the networks of the management cluster's pods, Services and nodes, and the subnets of its
// OVN-Kubernetes. It leaves out networks that cannot be parsed.
func ReadNetworks(ctx context.Context, r Reader) (Networks, error) {
	network := &configv1.Network{}
	if err := r.Get(ctx, client.ObjectKey{Name: "cluster"}, network); err != nil {
		return Networks{}, fmt.Errorf("read Network cluster: %w", err)
	}
	operator := operatorNetwork{}
	// A cluster with another network plugin may have no such object. Then the default subnets count as used.
	err := readAs(ctx, r, OperatorNetwork, client.ObjectKey{Name: "cluster"}, &operator)
	if client.IgnoreNotFound(err) != nil {
		return Networks{}, fmt.Errorf("read Network.operator.openshift.io cluster: %w", err)
	}
	nodes := &corev1.NodeList{}
	if err := r.List(ctx, nodes); err != nil {
		return Networks{}, fmt.Errorf("list Nodes: %w", err)
	}
	return networksOf(network.Status, operator, nodes.Items), nil
}

func networksOf(n configv1.NetworkStatus, operator operatorNetwork, nodes []corev1.Node) Networks {
	out := Networks{}
	add := func(cidr, object, name string) (netip.Prefix, bool) {
		p, err := netip.ParsePrefix(cidr)
		if err == nil {
			out.Used = append(out.Used, SpanOf(p, object, "%s", name))
		}
		return p, err == nil
	}
	for _, e := range n.ClusterNetwork {
		if p, ok := add(e.CIDR, "Network cluster", "the management cluster's pods"); ok {
			out.Pods = append(out.Pods, p)
		}
	}
	for _, p := range ServiceNetworks(n) {
		add(p.String(), "Network cluster", "the management cluster's Services")
		out.Services = append(out.Services, p)
	}
	for _, s := range operator.subnets() {
		if p, err := netip.ParsePrefix(s.cidr); err == nil && (len(out.Pods) == 0 || HasFamily(out.Pods, p.Addr())) {
			add(s.cidr, "Network.operator cluster", s.name)
		}
	}
	machines := map[netip.Prefix]bool{}
	for i := range nodes {
		node := &nodes[i]
		name := node.Name
		for _, p := range NodeSubnets(node) {
			if !machines[p] {
				machines[p] = true
				add(p.String(), "Node "+name, "the network of the management cluster's nodes")
			}
		}
		for _, a := range node.Status.Addresses {
			if ip, err := netip.ParseAddr(a.Address); err == nil && a.Type == corev1.NodeInternalIP {
				out.Used = append(out.Used, Span{IPRange: netipx.IPRangeFrom(ip, ip), Object: "Node " + name,
					Name: "node " + name + " (" + a.Address + ")"})
			}
		}
	}
	return out
}

// primaryAnnotation is the node annotation in which OVN-Kubernetes reports the addresses of a node with their prefix
// lengths.
const primaryAnnotation = "k8s.ovn.org/node-primary-ifaddr"

// NodeSubnets returns the networks of a node's primary interface, as reported by OVN-Kubernetes.
func NodeSubnets(node *corev1.Node) []netip.Prefix {
	var primary map[string]string
	if json.Unmarshal([]byte(node.Annotations[primaryAnnotation]), &primary) != nil {
		return nil
	}
	var out []netip.Prefix
	for _, text := range []string{primary["ipv4"], primary["ipv6"]} {
		if p, err := netip.ParsePrefix(text); err == nil && !p.IsSingleIP() && !p.Addr().Is4In6() {
			out = append(out, p.Masked())
		}
	}
	return out
}

// operatorNetwork has the fields of Network.operator.openshift.io that hcctl reads. OpenShift 4.15 moved the fields of
// the join subnets.
type operatorNetwork struct {
	Spec struct {
		DefaultNetwork struct {
			OVNKubernetes struct {
				V4InternalSubnet string      `json:"v4InternalSubnet"`
				V6InternalSubnet string      `json:"v6InternalSubnet"`
				IPv4             ovnInternal `json:"ipv4"`
				IPv6             ovnInternal `json:"ipv6"`
			} `json:"ovnKubernetesConfig"`
		} `json:"defaultNetwork"`
	} `json:"spec"`
}

type ovnInternal struct {
	JoinSubnet    string `json:"internalJoinSubnet"`
	TransitSubnet string `json:"internalTransitSwitchSubnet"`
}

type ovnSubnet struct{ cidr, name string }

// subnets returns the OVN-Kubernetes subnets of both families.
func (n operatorNetwork) subnets() []ovnSubnet {
	const join, transit = "OVN-Kubernetes' join subnet", "OVN-Kubernetes' transit subnet"
	ovn := n.Spec.DefaultNetwork.OVNKubernetes
	return []ovnSubnet{
		{cmp.Or(ovn.IPv4.JoinSubnet, ovn.V4InternalSubnet, defaultJoinSubnet), join},
		{cmp.Or(ovn.IPv4.TransitSubnet, defaultTransitSubnet), transit},
		{cmp.Or(ovn.IPv6.JoinSubnet, ovn.V6InternalSubnet, defaultJoinSubnet6), join},
		{cmp.Or(ovn.IPv6.TransitSubnet, defaultTransitSubnet6), transit},
	}
}

// LoadBalancerAddress returns the address or host name that a load balancer assigned to the Service, or "".
func LoadBalancerAddress(service *corev1.Service) string {
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		if address := cmp.Or(ingress.IP, ingress.Hostname); address != "" {
			return address
		}
	}
	return ""
}
