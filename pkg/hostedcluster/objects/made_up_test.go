package objects

import (
	"testing"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestAMadeUpOptionIsADifference: its row says whether another value is another cluster.
func TestAMadeUpOptionIsADifference(t *testing.T) {
	have := HostedCluster(optionstest.Valid(t, optionstest.Named(nil)), Inputs{})
	want := HostedCluster(optionstest.Valid(t, optionstest.Named(func(o *options.Cluster) { o.Channel = "stable-4.20" })),
		Inputs{})
	for effect, told := range map[option.Effect]string{
		option.Fixed: "spec.channel is not set, asked for stable-4.20", option.RestartsNothing: ""} {
		known, _ := optionstest.MadeUp(effect)
		if got := Describe(fixedInHostedCluster(known, have, want)); got != told {
			t.Errorf("with effect %v: %q, want %q", effect, got, told)
		}
	}
}
