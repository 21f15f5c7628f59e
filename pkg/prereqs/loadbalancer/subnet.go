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

// hostAnnotation is the annotation in which OVN-Kubernetes reports the addresses of all interfaces of a node with their
// prefix lengths (OpenShift 4.14 and later).
const hostAnnotation = "k8s.ovn.org/host-cidrs"

// nodeSubnets returns the known networks of the nodes: the installer's machine networks (only later releases report
// them), and what OVN-Kubernetes reports of each node. A node's InternalIP alone has no prefix.
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

// outside returns the first range that is not completely in the subnets. Families without a known subnet are skipped:
// judged reports whether any range was compared.
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

// rangesText lists ranges in their original notation.
func rangesText(ranges []addresses.Range) string {
	out := make([]string, 0, len(ranges))
	for _, r := range ranges {
		out = append(out, r.Text)
	}
	return strings.Join(out, ", ")
}
