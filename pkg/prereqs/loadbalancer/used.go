package loadbalancer

import (
	"context"
	"net/netip"
	"slices"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// usedAddresses returns the addresses that the cluster itself uses: of its nodes, virtual IPs, pods and Services.
// services are the Services' networks. The finding is set if something cannot be read.
func usedAddresses(ctx context.Context, r kube.Reader) (used []usedRange, services []netip.Prefix, f *step.Finding) {
	infra, err := prereq.Infrastructure(ctx, r)
	if err != nil {
		f := kube.Unknown(err).On(prereq.InfrastructureObject)
		return nil, nil, &f
	}
	used = virtualIPs(infra)
	nodes := &corev1.NodeList{}
	if err := r.List(ctx, nodes); err != nil {
		f := kube.Unknown(err).On("Nodes")
		return nil, nil, &f
	}
	for i := range nodes.Items {
		for _, address := range internalIPs(&nodes.Items[i]) {
			used = append(used, single(address, "node "+nodes.Items[i].Name))
		}
	}
	network := &configv1.Network{}
	if err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, network); err != nil {
		f := kube.Unknown(err).On("Network cluster")
		return nil, nil, &f
	}
	return append(used, networkRanges(network)...), kube.ServiceNetworks(network.Status), nil
}

func single(address netip.Addr, owner string) usedRange {
	return usedRange{addresses.Of(address), owner}
}

// virtualIPs returns the virtual IPs of the API server and of ingress, on bare metal. The lists exist since OpenShift
// 4.12, beside the single fields.
func virtualIPs(infra *configv1.Infrastructure) []usedRange {
	status := infra.Status.PlatformStatus
	if status == nil || status.BareMetal == nil {
		return nil
	}
	var out []usedRange
	add := func(owner string, texts ...string) {
		for _, text := range texts {
			address, err := netip.ParseAddr(text)
			if err == nil && !slices.ContainsFunc(out, func(u usedRange) bool { return u.From() == address }) {
				out = append(out, single(address, owner))
			}
		}
	}
	bm := status.BareMetal
	//nolint:staticcheck // deprecated, but all that clusters upgraded from before 4.12 may have
	add("the cluster's API", append(slices.Clone(bm.APIServerInternalIPs), bm.APIServerInternalIP)...)
	//nolint:staticcheck // as above
	add("the cluster's ingress", append(slices.Clone(bm.IngressIPs), bm.IngressIP)...)
	return out
}

func internalIPs(n *corev1.Node) []netip.Addr {
	var out []netip.Addr
	for _, a := range n.Status.Addresses {
		if a.Type != corev1.NodeInternalIP {
			continue
		}
		if address, err := netip.ParseAddr(a.Address); err == nil {
			out = append(out, address)
		}
	}
	return out
}

func networkRanges(network *configv1.Network) []usedRange {
	var out []usedRange
	add := func(cidr, owner string) {
		if r, err := addresses.Parse(cidr); err == nil {
			out = append(out, usedRange{r, owner})
		}
	}
	for _, n := range network.Status.ClusterNetwork {
		add(n.CIDR, "the pod network")
	}
	for _, cidr := range network.Status.ServiceNetwork {
		add(cidr, "the service network")
	}
	return out
}
