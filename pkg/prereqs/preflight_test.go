package prereqs

import (
	"slices"
	"testing"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestPreflightAsksWhatTheClusterNeeds(t *testing.T) {
	ids := func(w Wanted) []step.ID {
		var out []step.ID
		for _, s := range Preflight(nil, w) {
			if s.Apply != nil || len(s.Needs) > 0 {
				t.Errorf("%s: preflight only looks, and at everything at once", s.ID)
			}
			out = append(out, s.ID)
		}
		return out
	}
	all := ids(Wanted{PassesThrough: true, LoadBalancer: true, DefaultClass: true})
	for _, id := range []step.ID{ClusterGuestNetworks, ClusterCapacity, ClusterPullSecret, DefaultClass, LoadBalancerFreeAddresses, IngressWildcard, HyperConverged, HypershiftOperator} {
		if !slices.Contains(all, id) {
			t.Errorf("%s is missing in %v", id, all)
		}
	}
	few := ids(Wanted{Elsewhere: true})
	for _, id := range []step.ID{ClusterCapacity, DefaultClass, LoadBalancerFreeAddresses, IngressWildcard, HyperConverged} {
		if slices.Contains(few, id) {
			t.Errorf("%s is asked for a cluster that does not need it", id)
		}
	}
	for _, s := range Preflight(nil, Wanted{}) {
		if (s.ID == ClusterCapacity || s.ID == ClusterGuestNetworks) && s.Severity != step.Required {
			t.Errorf("%s is only advice", s.ID)
		}
	}
}
