package prereqs

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
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

func TestJudgeRoom(t *testing.T) {
	node := amount{16000, 64 * gib, 250}
	three := rooms(node, amount{}, amount{}, amount{})
	w := Wanted{HighlyAvailable: true, Workers: 2, Cores: 4, Memory: 16 * gib}
	for name, tc := range map[string]struct {
		w        Wanted
		rooms    []room
		existing int64
		want     string
	}{
		"fits": {w, three, 3, "ok: it requests CPU 5.4, memory 34.6Gi and 77 pods (control plane and 2 workers); free on 3 workers, by requests: CPU 48.0, memory 192Gi, 750 pods"},
		"workers too large": {
			Wanted{HighlyAvailable: true, Workers: 2, Cores: 4, Memory: 256 * gib}, three, 0,
			"missing: no room: it requests CPU 5.4, memory 274.6Gi and 77 pods (control plane and 2 workers); free on 3 workers, by requests: CPU 48.0, memory 192Gi, 750 pods",
		},
		"two nodes": {
			w, three[:2], 0,
			"missing: no room: it requests CPU 5.4, memory 34.6Gi and 77 pods (control plane and 2 workers); free on 2 workers, by requests: CPU 32.0, memory 128Gi, 500 pods; its control plane takes a third of what it requests on each of 3 nodes",
		},
		"full by count": {w, three, 80, "missing: 80 hosted clusters are there, and the hypershift addon counts 80 as full"},
	} {
		f := judgeRoom(tc.w, tc.rooms, tc.existing, usualMostClusters)
		if got := f.State.String() + ": " + f.Message; got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
	if f := judgeRoom(Wanted{Workers: 2, Cores: 4, Memory: 16 * gib}, three[:1], 0, usualMostClusters); f.State != step.OK {
		t.Errorf("a single-replica control plane fits on one node: %s", f.Message)
	}
}

func TestJudgeWantedNetworks(t *testing.T) {
	w := Wanted{Networks: []WantedNetwork{{"--cluster-cidr", netip.MustParsePrefix("10.128.0.0/14")}, {"--service-cidr", netip.MustParsePrefix("172.31.0.0/16")}}}
	used := []kube.Span{kube.SpanOf(netip.MustParsePrefix("10.128.0.0/14"), "Network cluster", "the management cluster's pods")}
	f := judgeWantedNetworks(w.spans(), kube.Overlaps(w.spans(), used))
	if f.State != step.Missing || f.Message != "--cluster-cidr (10.128.0.0/14) shares addresses with the management cluster's pods (10.128.0.0/14), and could not reach those" {
		t.Errorf("%s: %s", f.State, f.Message)
	}
	if f := judgeWantedNetworks(w.spans(), kube.Overlaps(w.spans(), nil)); f.State != step.OK || !strings.Contains(f.Message, "--service-cidr (172.31.0.0/16)") {
		t.Errorf("%s: %s", f.State, f.Message)
	}
}
