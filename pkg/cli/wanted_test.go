package cli

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// A cluster with addresses of its own is not kept from being created because those for everybody are used up.
func TestWantedAddresses(t *testing.T) {
	for name, tc := range map[string]struct {
		set  func(*hostedcluster.Options)
		want bool
	}{
		"from the pools for all":  {func(*hostedcluster.Options) {}, true},
		"from a pool it names":    {func(o *hostedcluster.Options) { o.MetalLBPool = "tenants" }, false},
		"its own":                 {func(o *hostedcluster.Options) { o.MetalLBAddresses = []string{"192.0.2.16/30"} }, false},
		"without a load balancer": {func(o *hostedcluster.Options) { o.ServicePublishingStrategy = "NodePort" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := hostedcluster.Defaults()
			o.Name = "kv-00"
			tc.set(&o)
			if got := wantedBy(&hostedcluster.Plan{Options: o}).LoadBalancer; got != tc.want {
				t.Errorf("free addresses for everybody are looked for: %t, want %t", got, tc.want)
			}
		})
	}
}
