package kube

import (
	"context"
	"fmt"
	"net/netip"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Span is a run of addresses of one family, both ends included, and what it is used for.
type Span struct {
	First, Last netip.Addr
	// Name says whose addresses they are, for a person: "the pods of the management cluster (10.128.0.0/14)".
	Name string
	// Object is where that is written, such as "Network cluster".
	Object string
}

// SpanOf is all addresses of the prefix.
func SpanOf(p netip.Prefix, object, format string, args ...any) Span {
	last := p.Masked().Addr().AsSlice()
	for bit := p.Bits(); bit < 8*len(last); bit++ {
		last[bit/8] |= 1 << (7 - bit%8)
	}
	end, _ := netip.AddrFromSlice(last)
	return Span{First: p.Masked().Addr(), Last: end, Object: object, Name: fmt.Sprintf(format, args...) + " (" +
		p.String() + ")"}
}

// Overlaps tells whether the two share an address. Addresses of different families never do.
func (s Span) Overlaps(o Span) bool {
	return s.First.Is4() == o.First.Is4() && !s.Last.Less(o.First) && !o.Last.Less(s.First)
}

// Overlaps are the pairs of wanted and used spans that share addresses, in the order of wanted.
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

// What OVN-Kubernetes takes for itself unless told otherwise (operator.openshift.io/v1 Network, OpenShift 4.12 to
// 4.21). The transit subnet came with 4.14; counting it before does no harm.
const (
	defaultJoinSubnet    = "100.64.0.0/16"
	defaultTransitSubnet = "100.88.0.0/16"
)

// UsedNetworks are the addresses the management cluster uses for its pods, its Services, OVN-Kubernetes' own switches
// and its nodes. The machine network is nowhere in the API: the nodes' own addresses stand for it. What cannot be
// parsed is left out.
func (c *Client) UsedNetworks(ctx context.Context) ([]Span, error) {
	network := &configv1.Network{}
	if err := c.Get(ctx, client.ObjectKey{Name: "cluster"}, network); err != nil {
		return nil, fmt.Errorf("read Network cluster: %w", err)
	}
	own := &operatorv1.Network{}
	// Another network provider's cluster may lack it; then the usual subnets are what may be in use.
	if err := c.Get(ctx, client.ObjectKey{Name: "cluster"}, own); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read Network.operator.openshift.io cluster: %w", err)
	}
	nodes := &corev1.NodeList{}
	if err := c.List(ctx, nodes); err != nil {
		return nil, fmt.Errorf("list Nodes: %w", err)
	}
	return usedNetworks(network.Status, own.Spec.DefaultNetwork.OVNKubernetesConfig, nodes.Items), nil
}

func usedNetworks(n configv1.NetworkStatus, ovn *operatorv1.OVNKubernetesConfig, nodes []corev1.Node) []Span {
	var out []Span
	add := func(cidr, object, name string) {
		if p, err := netip.ParsePrefix(cidr); err == nil {
			out = append(out, SpanOf(p, object, "%s", name))
		}
	}
	for _, e := range n.ClusterNetwork {
		add(e.CIDR, "Network cluster", "the management cluster's pods")
	}
	for _, cidr := range n.ServiceNetwork {
		add(cidr, "Network cluster", "the management cluster's Services")
	}
	join, transit := joinSubnets(ovn)
	add(join, "Network.operator cluster", "OVN-Kubernetes' join subnet")
	add(transit, "Network.operator cluster", "OVN-Kubernetes' transit subnet")
	for i := range nodes {
		name := nodes[i].Name
		for _, a := range nodes[i].Status.Addresses {
			if ip, err := netip.ParseAddr(a.Address); err == nil && a.Type == corev1.NodeInternalIP {
				out = append(out, Span{First: ip, Last: ip, Object: "Node " + name, Name: "node " + name + " (" + a.Address + ")"})
			}
		}
	}
	return out
}

// joinSubnets reads the IPv4 subnets, whose field moved with OpenShift 4.15.
func joinSubnets(ovn *operatorv1.OVNKubernetesConfig) (join, transit string) {
	join, transit = defaultJoinSubnet, defaultTransitSubnet
	if ovn == nil {
		return join, transit
	}
	if ovn.V4InternalSubnet != "" {
		join = ovn.V4InternalSubnet
	}
	if v4 := ovn.IPv4; v4 != nil {
		if v4.InternalJoinSubnet != "" {
			join = v4.InternalJoinSubnet
		}
		if v4.InternalTransitSwitchSubnet != "" {
			transit = v4.InternalTransitSwitchSubnet
		}
	}
	return join, transit
}
