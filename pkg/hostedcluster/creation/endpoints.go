package creation

import (
	"net"
	"net/netip"
	"slices"
	"strconv"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Ways has the URLs of a hosted cluster for users. Unknown ones are empty.
type Ways struct {
	// API is the URL of the API server that the operator published.
	API string
	// Console is the URL of the web console, below the cluster's *.apps domain.
	Console string
}

// WaysIn returns the URLs from the status and spec of a HostedCluster.
func WaysIn(hc *hyperv1.HostedCluster) Ways {
	var w Ways
	if e := hc.Status.ControlPlaneEndpoint; e.Host != "" {
		w.API = "https://" + net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port)))
	}
	w.Console = hostedcluster.ConsoleURL(hc)
	return w
}

// ByLoadBalancer reports whether the API server is published by a load balancer.
func (p *Plan) ByLoadBalancer() bool {
	for _, s := range objects.TypedHostedCluster(p.Options, p.Inputs).Spec.Services {
		if s.Service == hyperv1.APIServer {
			return s.Type == hyperv1.LoadBalancer
		}
	}
	return false
}

// NodePortAddresses returns the addresses at which node ports are published. It omits host names.
func (p *Plan) NodePortAddresses() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range p.Options.Services(p.Inputs.NodeAddress) {
		if s.NodePort == nil {
			continue
		}
		a, err := netip.ParseAddr(s.NodePort.Address)
		if one := netip.PrefixFrom(a, a.BitLen()); err == nil && !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// For returns a copy of the plan with another client, such as one for a dry run. It is needed because Prepare sends dry
// runs, and a planning client would take their objects for existing ones.
func (p *Plan) For(c *kube.Client) *Plan {
	other := *p
	other.client, other.planning, other.cache = c, true, &metadataCache{}
	return &other
}
