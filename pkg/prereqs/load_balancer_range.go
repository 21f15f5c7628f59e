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
	return step.Step{ID: LoadBalancerRange, Title: "address range", Severity: step.Advisory, Check: s.check}
}

func (s loadBalancerRange) check(context.Context) step.Finding {
	ranges := s.o.ranges()
	if len(ranges) == 0 {
		return step.Okay("none given").On("--metallb-range")
	}
	for _, r := range ranges {
		if r.loopback() && !onLoopback(s.c.Config().Host) {
			return step.NotThere("%s holds loopback addresses, which no other machine can reach", r.text).On("--metallb-range").
				WithHint("give free addresses of the node network, outside of its DHCP range")
		}
	}
	return step.Okay("given").On("--metallb-range")
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
