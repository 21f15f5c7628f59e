package prereqs

import (
	"context"
	"net"
	"net/url"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// loadBalancerRange: addresses others can reach. Loopback ones are of use only to whoever runs on the machine of the API
// server, as with a sandbox.
type loadBalancerRange struct {
	c *kube.Client
	o Options
}

func (s loadBalancerRange) step() step.Step {
	return step.Step{ID: LoadBalancerRange, Title: "reachable addresses", Severity: step.Advisory, Check: s.check}
}

func (s loadBalancerRange) check(ctx context.Context) step.Finding {
	if f := s.judge("--metallb-range", s.o.LoadBalancer.ranges()); f.State != step.OK {
		return f
	}
	pools, err := addressPools(ctx, s.c)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unread(err).On("IPAddressPools")
	}
	for _, p := range pools {
		if f := s.judge("IPAddressPool "+p.namespace+"/"+p.name, p.ranges); f.State != step.OK {
			return f
		}
	}
	return step.Okay("none of the addresses to give out is out of reach")
}

func (s loadBalancerRange) judge(whose string, ranges []addressRange) step.Finding {
	for _, r := range ranges {
		if r.loopback() && !onLoopback(s.c.Config().Host) {
			return step.NotThere("%s holds loopback addresses, which no other machine can reach", r.text).On("%s", whose).
				WithHint("give free addresses of the node network, outside of its DHCP range")
		}
	}
	return step.Okay("")
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
