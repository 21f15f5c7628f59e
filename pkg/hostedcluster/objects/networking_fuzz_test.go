package objects

import (
	"net"
	"net/netip"
	"slices"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fuzztest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// FuzzNetworks: what is accepted can be written into the objects, and no two of it share addresses.
func FuzzNetworks(f *testing.F) {
	f.Add("10.132.0.0/14", "172.31.0.0/16", "192.0.2.0/24")
	f.Add("fd01::/48", "fd02::/112", "")
	f.Add("::ffff:10.0.0.0/104", "10.0.0.0/8", "10.1.0.0/16")
	f.Add("0.0.0.0/0", "::/0", "::1/128")
	f.Fuzz(func(t *testing.T, pods, services, nodes string) {
		o := optionstest.Named(nil)
		o.ClusterCIDR, o.ServiceCIDR, o.MachineCIDR = options.List{pods}, options.List{services}, nil
		if nodes != "" {
			o.MachineCIDR = options.List{nodes}
		}
		valid, err := o.Validate()
		fuzztest.TellsOneLine(t, err)
		if err != nil {
			return
		}
		networkingOf(valid) // panics for what its types do not take
		all := slices.Concat(o.ClusterCIDR, o.ServiceCIDR, o.MachineCIDR)
		for i, a := range all {
			p, err := netip.ParsePrefix(a)
			if err != nil || p.Addr().Is4In6() {
				t.Fatalf("%q was taken", a)
			}
			if _, n, err := net.ParseCIDR(a); err != nil || n.String() != p.String() {
				t.Fatalf("%q is %v here and %v for Kubernetes", a, p, n)
			}
			for _, b := range all[:i] {
				if netip.MustParsePrefix(b).Overlaps(p) {
					t.Fatalf("%s and %s share addresses", a, b)
				}
			}
		}
	})
}
