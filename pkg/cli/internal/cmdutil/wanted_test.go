package cmdutil

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// A cluster with addresses of its own is not kept from being created because those for everybody are used up.
func TestWantedAddresses(t *testing.T) {
	for name, tc := range map[string]struct {
		set  func(*options.Cluster)
		want bool
	}{
		"from the pools for all":  {func(*options.Cluster) {}, true},
		"from a pool it names":    {func(o *options.Cluster) { o.MetalLBPool = "tenants" }, false},
		"its own":                 {func(o *options.Cluster) { o.MetalLBAddresses = []string{"192.0.2.16/30"} }, false},
		"without a load balancer": {func(o *options.Cluster) { o.ServicePublishingStrategy = "NodePort" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := options.Defaults()
			o.Name = "kv-00"
			tc.set(&o)
			valid, err := o.Validate()
			if err != nil {
				t.Fatal(err)
			}
			if got := WantedBy(&creation.Plan{Options: valid}).LoadBalancer; got != tc.want {
				t.Errorf("free addresses for everybody are looked for: %t, want %t", got, tc.want)
			}
		})
	}
}
