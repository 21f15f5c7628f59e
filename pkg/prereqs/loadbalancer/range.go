package loadbalancer

import (
	"context"
	"net"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Range is the prerequisite of this file.
const Range step.ID = "load-balancer/range"

// loadBalancerRange checks that other machines can reach the addresses. Loopback addresses work only on the machine of
// the API server, as with a sandbox; addresses announced by L2 must be in a network of the nodes.
type loadBalancerRange struct {
	o Validated
}

func (s loadBalancerRange) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Range, Title: "reachable addresses", Severity: step.Advisory,
		Check: s.check,
		Rights: prereq.Rights{
			Check: append(addresses.ListPools(), prereq.ReadInfrastructure(), prereq.ListNodes(),
				addresses.List("bgpadvertisements.metallb.io")),
		},
	}
}

// origin is a group of addresses with their origin.
type origin struct {
	owner  string
	ranges []addresses.Range
}

func (s loadBalancerRange) check(ctx context.Context, r kube.Reader) step.Finding {
	pools, err := addresses.Pools(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools")
	}
	var all []origin
	// Ranges that a pool already has are judged with that pool.
	if given := addresses.Uncovered(s.o.MetalLBRanges, pools); len(given) > 0 {
		all = append(all, origin{hint.Flag("metallb-range").String(), given})
	}
	for _, p := range pools {
		all = append(all, origin{"IPAddressPool " + p.Namespace + "/" + p.Name, p.Ranges})
	}
	local := onLoopback(r.Config().Host)
	if f := judgeLoopback(all, local); f != nil {
		return *f
	}
	all, f := s.announcedByL2(ctx, r, all, pools, local)
	if f != nil {
		return *f
	}
	if len(all) == 0 {
		return step.OK("there are no addresses to check")
	}
	infra, err := prereq.Infrastructure(ctx, r)
	if err != nil {
		return kube.Unknown(err).On(prereq.InfrastructureObject)
	}
	nodes := &corev1.NodeList{}
	if err := r.List(ctx, nodes); err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	return judgeReach(all, nodeSubnets(infra, nodes.Items))
}

// announcedByL2 removes loopback addresses, and pools that a BGPAdvertisement announces: routers reach those in any
// network.
func (s loadBalancerRange) announcedByL2(ctx context.Context, reader kube.Reader, all []origin, pools []addresses.Pool,
	local bool) ([]origin, *step.Finding) {
	bgp := kube.BGPAdvertisement.NewList()
	if err := reader.List(ctx, bgp); err != nil && !kube.IsKindMissing(err) {
		f := kube.Unknown(err).On("BGPAdvertisements")
		return nil, &f
	}
	byBGP := map[string]bool{}
	for _, p := range pools {
		byBGP["IPAddressPool "+p.Namespace+"/"+p.Name] = slices.ContainsFunc(bgp.Items,
			func(u unstructured.Unstructured) bool { return advertises(&u, p) })
	}
	var out []origin
	for _, a := range all {
		a.ranges = slices.DeleteFunc(slices.Clone(a.ranges), func(r addresses.Range) bool { return local && r.Loopback() })
		if len(a.ranges) > 0 && !byBGP[a.owner] {
			out = append(out, a)
		}
	}
	return out, nil
}

func judgeLoopback(all []origin, local bool) *step.Finding {
	for _, a := range all {
		for _, r := range a.ranges {
			if r.Loopback() && !local {
				f := step.Missing("%s holds loopback addresses, which no other machine can reach", r.Text).On("%s", a.owner).
					WithHint("give free addresses of the node network, outside of its DHCP range")
				return &f
			}
		}
	}
	return nil
}

func judgeReach(all []origin, subnets []addresses.Range) step.Finding {
	judged := false
	for _, a := range all {
		r, compared := outside(a.ranges, subnets)
		judged = judged || compared
		if r != nil {
			return step.Missing("%s is not within a network of the nodes (%s); addresses that are announced by L2 have to be",
				r.Text, rangesText(subnets)).On("%s", a.owner).
				WithHint("give free addresses of a node network, or announce these by BGP")
		}
	}
	if !judged {
		return step.Unknown("whether the nodes' networks have them is not known: neither the nodes nor Infrastructure "+
			"cluster say which networks those are").On("%s", all[0].owner)
	}
	return step.OK("all are within the nodes' networks (%s)", rangesText(subnets))
}

// onLoopback reports whether the API server is on this machine.
func onLoopback(server string) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
