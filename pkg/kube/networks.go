package kube

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"

	configv1 "github.com/openshift/api/config/v1"
	"go4.org/netipx"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Span is a range of addresses of one family, both ends included, and its use.
type Span struct {
	netipx.IPRange
	// Name describes the owner for a user: "the pods of the management cluster (10.128.0.0/14)".
	Name string
	// Object is the object that defines the range, such as "Network cluster".
	Object string
}

// SpanOf returns all addresses of the prefix.
func SpanOf(p netip.Prefix, object, format string, args ...any) Span {
	name := fmt.Sprintf(format, args...) + " (" + p.String() + ")"
	return Span{IPRange: netipx.RangeOfPrefix(p), Object: object, Name: name}
}

// Overlaps reports whether the two share an address. Addresses of different families never do.
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

// The default subnets of OVN-Kubernetes (operator.openshift.io/v1 Network, OpenShift 4.12 to 4.21). The transit subnet
// exists since 4.14, and counting it earlier does no harm.
const (
	defaultJoinSubnet    = "100.64.0.0/16"
	defaultTransitSubnet = "100.88.0.0/16"
)

// UsedNetworks returns the addresses of the management cluster's pods, Services, OVN-Kubernetes subnets and nodes. The
// API has no machine network, so the nodes' addresses replace it, and what cannot be parsed is left out.
func UsedNetworks(ctx context.Context, r Reader) ([]Span, error) {
	network := &configv1.Network{}
	if err := r.Get(ctx, client.ObjectKey{Name: "cluster"}, network); err != nil {
		return nil, fmt.Errorf("read Network cluster: %w", err)
	}
	own := operatorNetwork{}
	// A cluster with another network provider may have no such object. Then the default subnets count as used.
	err := readAs(ctx, r, OperatorNetwork, client.ObjectKey{Name: "cluster"}, &own)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read Network.operator.openshift.io cluster: %w", err)
	}
	nodes := &corev1.NodeList{}
	if err := r.List(ctx, nodes); err != nil {
		return nil, fmt.Errorf("list Nodes: %w", err)
	}
	return usedNetworks(network.Status, own, nodes.Items), nil
}

func usedNetworks(n configv1.NetworkStatus, own operatorNetwork, nodes []corev1.Node) []Span {
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
	join, transit := own.joinSubnets()
	add(join, "Network.operator cluster", "OVN-Kubernetes' join subnet")
	add(transit, "Network.operator cluster", "OVN-Kubernetes' transit subnet")
	for i := range nodes {
		name := nodes[i].Name
		for _, a := range nodes[i].Status.Addresses {
			if ip, err := netip.ParseAddr(a.Address); err == nil && a.Type == corev1.NodeInternalIP {
				out = append(out, Span{IPRange: netipx.IPRangeFrom(ip, ip), Object: "Node " + name,
					Name: "node " + name + " (" + a.Address + ")"})
			}
		}
	}
	return out
}

// operatorNetwork has the fields of Network.operator.openshift.io that are used. OpenShift 4.15 moved that of the join
// subnet.
type operatorNetwork struct {
	Spec struct {
		DefaultNetwork struct {
			OVNKubernetes struct {
				V4InternalSubnet string `json:"v4InternalSubnet"`
				IPv4             struct {
					JoinSubnet    string `json:"internalJoinSubnet"`
					TransitSubnet string `json:"internalTransitSwitchSubnet"`
				} `json:"ipv4"`
			} `json:"ovnKubernetesConfig"`
		} `json:"defaultNetwork"`
	} `json:"spec"`
}

// joinSubnets returns the IPv4 subnets.
func (n operatorNetwork) joinSubnets() (join, transit string) {
	ovn := n.Spec.DefaultNetwork.OVNKubernetes
	return cmp.Or(ovn.IPv4.JoinSubnet, ovn.V4InternalSubnet, defaultJoinSubnet),
		cmp.Or(ovn.IPv4.TransitSubnet, defaultTransitSubnet)
}
