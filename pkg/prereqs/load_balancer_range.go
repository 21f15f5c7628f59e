package prereqs

import (
	"context"
	"net"
	"net/url"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// loadBalancerRange: addresses others can reach. Loopback ones are of use only to whoever runs on the machine of the API
// server, as with a sandbox; those announced by L2 have to be of a network the nodes are in.
type loadBalancerRange struct {
	c *kube.Client
	o LoadBalancerOptions
}

func (s loadBalancerRange) step() step.Step {
	return step.Step{ID: LoadBalancerRange, Title: "reachable addresses", Severity: step.Advisory, Check: s.check}
}

// toReach is one origin of addresses.
type toReach struct {
	whose  string
	ranges []addressRange
}

func (s loadBalancerRange) check(ctx context.Context) step.Finding {
	pools, err := addressPools(ctx, s.c)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unread(err).On("IPAddressPools")
	}
	var all []toReach
	// Ranges that a pool has already are judged as that pool's.
	if given := uncovered(s.o.ranges(), pools); len(given) > 0 {
		all = append(all, toReach{"--metallb-range", given})
	}
	for _, p := range pools {
		all = append(all, toReach{"IPAddressPool " + p.namespace + "/" + p.name, p.ranges})
	}
	local := onLoopback(s.c.Config().Host)
	if f := judgeLoopback(all, local); f != nil {
		return *f
	}
	all, f := s.announcedByL2(ctx, all, pools, local)
	if f != nil {
		return *f
	}
	if len(all) == 0 {
		return step.Okay("none of the addresses to give out is out of reach")
	}
	infra, err := infrastructure(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On(infrastructureName)
	}
	nodes := &corev1.NodeList{}
	if err := s.c.List(ctx, nodes); err != nil {
		return kube.Unread(err).On("Nodes")
	}
	return judgeReach(all, nodeSubnets(infra, nodes.Items))
}

// announcedByL2 leaves out loopback addresses, and pools that a BGPAdvertisement announces: routers find the way to those
// wherever they are.
func (s loadBalancerRange) announcedByL2(ctx context.Context, all []toReach, pools []addressPool, local bool) ([]toReach, *step.Finding) {
	bgp := kube.BGPAdvertisement.NewList()
	if err := s.c.List(ctx, bgp); err != nil && !kube.IsKindMissing(err) {
		f := kube.Unread(err).On("BGPAdvertisements")
		return nil, &f
	}
	byBGP := map[string]bool{}
	for _, p := range pools {
		byBGP["IPAddressPool "+p.namespace+"/"+p.name] = slices.ContainsFunc(bgp.Items, func(u unstructured.Unstructured) bool { return advertises(&u, p) })
	}
	var out []toReach
	for _, a := range all {
		a.ranges = slices.DeleteFunc(slices.Clone(a.ranges), func(r addressRange) bool { return local && r.loopback() })
		if len(a.ranges) > 0 && !byBGP[a.whose] {
			out = append(out, a)
		}
	}
	return out, nil
}

func judgeLoopback(all []toReach, local bool) *step.Finding {
	for _, a := range all {
		for _, r := range a.ranges {
			if r.loopback() && !local {
				f := step.NotThere("%s holds loopback addresses, which no other machine can reach", r.text).On("%s", a.whose).
					WithHint("give free addresses of the node network, outside of its DHCP range")
				return &f
			}
		}
	}
	return nil
}

func judgeReach(all []toReach, subnets []addressRange) step.Finding {
	judged := false
	for _, a := range all {
		r, compared := outside(a.ranges, subnets)
		judged = judged || compared
		if r != nil {
			return step.NotThere("%s is not within a network of the nodes (%s); addresses that are announced by L2 have to be", r.text, rangesText(subnets)).On("%s", a.whose).
				WithHint("give free addresses of a node network, or announce these by BGP")
		}
	}
	if !judged {
		return step.Unseen("whether the nodes' network holds them cannot be told: the nodes and Infrastructure cluster do not tell the networks they are in").On("%s", all[0].whose)
	}
	return step.Okay("all are within the nodes' networks (%s)", rangesText(subnets))
}

// onLoopback tells whether the API server is on this machine.
func onLoopback(server string) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
