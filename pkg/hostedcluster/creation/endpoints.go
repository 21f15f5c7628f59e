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

// Ways are the addresses of a hosted cluster for people; empty where they are not known.
type Ways struct {
	// API is the URL of the API server, as the operator publishes it.
	API string
	// Console is the URL of the web console, which OpenShift puts below the cluster's *.apps.
	Console string
}

// WaysIn reads them from the status and spec of a HostedCluster.
func WaysIn(hc *hyperv1.HostedCluster) Ways {
	var w Ways
	if e := hc.Status.ControlPlaneEndpoint; e.Host != "" {
		w.API = "https://" + net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port)))
	}
	w.Console = hostedcluster.ConsoleURL(hc)
	return w
}

// ByLoadBalancer reports whether the API server gets an address of a load balancer.
func (p *Plan) ByLoadBalancer() bool {
	for _, s := range objects.TypedHostedCluster(p.Options, p.Inputs).Spec.Services {
		if s.Service == hyperv1.APIServer {
			return s.Type == hyperv1.LoadBalancer
		}
	}
	return false
}

// NodePortAddresses are the addresses at which node ports are to be reached, without those that are names.
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

// For is the same plan with another client, such as one that only plans: Prepare tries things out, and a client that
// plans would take what was tried for what is there.
func (p *Plan) For(c *kube.Client) *Plan {
	other := *p
	other.client, other.planning, other.known = c, true, &known{}
	return &other
}
