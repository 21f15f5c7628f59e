package prereqs

import (
	"slices"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/ingress"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestPreflightAsksWhatTheClusterNeeds(t *testing.T) {
	ids := func(w prereq.Wanted) []step.ID {
		var out []step.ID
		for _, s := range Preflight(nil, w) {
			if s.Apply != nil || len(s.Needs) > 0 {
				t.Errorf("%s: preflight only looks, and at everything at once", s.ID)
			}
			out = append(out, s.ID)
		}
		return out
	}
	all := ids(prereq.Wanted{PassesThrough: true, LoadBalancer: true, DefaultClass: true})
	for _, id := range []step.ID{cluster.GuestNetworks, cluster.Capacity, cluster.PullSecret,
		storage.DefaultClass, loadbalancer.FreeAddresses, ingress.Wildcard, prereq.HyperConverged,
		multicluster.HypershiftOperator} {
		if !slices.Contains(all, id) {
			t.Errorf("%s is missing in %v", id, all)
		}
	}
	few := ids(prereq.Wanted{Elsewhere: true})
	for _, id := range []step.ID{cluster.Capacity, storage.DefaultClass, loadbalancer.FreeAddresses, ingress.Wildcard,
		prereq.HyperConverged} {
		if slices.Contains(few, id) {
			t.Errorf("%s is asked for a cluster that does not need it", id)
		}
	}
	for _, s := range Preflight(nil, prereq.Wanted{}) {
		if (s.ID == cluster.Capacity || s.ID == cluster.GuestNetworks) && s.Severity != step.Required {
			t.Errorf("%s is only advice", s.ID)
		}
	}
}
