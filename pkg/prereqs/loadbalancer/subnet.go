package loadbalancer

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
)

// hostAnnotation is how OVN-Kubernetes tells the addresses of all interfaces of a node with the length of their prefix,
// from OpenShift 4.14 on.
const hostAnnotation = "k8s.ovn.org/host-cidrs"

// nodeSubnets are the networks the nodes are in, as far as anybody tells: the installer's machine networks (which only
// later releases tell), and what OVN-Kubernetes reports of each node. A node's InternalIP alone has no prefix.
func nodeSubnets(infra *configv1.Infrastructure, nodes []corev1.Node) []addresses.Range {
	var out []addresses.Range
	add := func(text string) {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || prefix.IsSingleIP() || prefix.Addr().Is4In6() {
			return
		}
		r := addresses.OfPrefix(prefix)
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	if status := infra.Status.PlatformStatus; status != nil && status.BareMetal != nil {
		for _, cidr := range status.BareMetal.MachineNetworks {
			add(string(cidr))
		}
	}
	for i := range nodes {
		for _, p := range kube.NodeSubnets(&nodes[i]) {
			add(p.String())
		}
		var all []string
		if json.Unmarshal([]byte(nodes[i].Annotations[hostAnnotation]), &all) == nil {
			for _, text := range all {
				add(text)
			}
		}
	}
	return out
}

// outside returns the first range that is not wholly in one of the subnets. Families of which no subnet is known are
// left out: judged reports whether any was compared.
func outside(ranges, subnets []addresses.Range) (found *addresses.Range, judged bool) {
	for i, r := range ranges {
		family := slices.DeleteFunc(slices.Clone(subnets),
			func(s addresses.Range) bool { return s.From().Is4() != r.From().Is4() })
		if len(family) == 0 {
			continue
		}
		judged = true
		if !r.CoveredBy(family) {
			return &ranges[i], true
		}
	}
	return nil, judged
}

// rangesText lists ranges as they were written.
func rangesText(ranges []addresses.Range) string {
	out := make([]string, 0, len(ranges))
	for _, r := range ranges {
		out = append(out, r.Text)
	}
	return strings.Join(out, ", ")
}
