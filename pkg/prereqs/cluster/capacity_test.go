package cluster

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeCapacity(t *testing.T) {
	big := capacity.Resources{MilliCPU: 60000, Memory: 250 * capacity.GiB, Pods: 250}
	three := nodes(big, capacity.Resources{}, capacity.Resources{},
		capacity.Resources{MilliCPU: 10000, Memory: 50 * capacity.GiB, Pods: 100})
	f := judgeCapacity(three, 0, 0, 80)
	prereqtest.Expect(t, f, step.StateOK,
		"room for 6 more highly available or 24 more single-replica hosted clusters, each "+
			"with 2 workers of 2 cores and 8Gi; "+
			"on 3 workers, by requests: CPU 170.0 free of 180.0 / 5.4 = 31, memory 700Gi free of 750Gi / 34.6Gi = 20, pods 650 "+
			"free of 750 / 77 = 8; a control plane takes a third of that on each of 3 nodes, which leaves fewer")
	prereqtest.Expect(t, judgeCapacity(three, 4, 3, 80), step.StateOK,
		"fewer; hosted clusters: 3, and the hypershift addon counts 80 as full; not counting 4 pods without a "+
			"node")
	prereqtest.Expect(t, judgeCapacity(three, 0, 78, 80), step.StateOK,
		"room for 2 more highly available or 2 more single-replica")
	for name, tc := range map[string]struct {
		f    step.Finding
		hint string
	}{
		"addon": {judgeCapacity(three, 0, 80, 80), "hcMaxNumber"},
		"pods": {judgeCapacity(nodes(capacity.Resources{MilliCPU: 60000, Memory: 250 * capacity.GiB, Pods: 20},
			capacity.Resources{}, capacity.Resources{}, capacity.Resources{}), 0, 0, 80), "KubeletConfig"},
		"nodes": {judgeCapacity(nodes(big, capacity.Resources{}, capacity.Resources{}), 0, 0, 80), "3 workers with room"},
		"cpu": {judgeCapacity(nodes(capacity.Resources{MilliCPU: 100, Memory: 250 * capacity.GiB, Pods: 250},
			capacity.Resources{}, capacity.Resources{}, capacity.Resources{}), 0, 0, 80), "add workers"},
	} {
		prereqtest.Expect(t, tc.f, step.StateMissing, "room for 0 more highly available")
		if !strings.Contains(tc.f.Hint.String(), tc.hint) {
			t.Errorf("%s: %s", name, tc.f.Hint.String())
		}
	}
	prereqtest.Expect(t, judgeCapacity(nil, 0, 0, 80), step.StateMissing, "no ready worker")
}

func TestJudgeRoom(t *testing.T) {
	node := capacity.Resources{MilliCPU: 16000, Memory: 64 * capacity.GiB, Pods: 250}
	three := nodes(node, capacity.Resources{}, capacity.Resources{}, capacity.Resources{})
	demand := func(highlyAvailable bool, memory int64) capacity.Demand {
		plane, copies := capacity.ControlPlane(highlyAvailable)
		return capacity.Demand{Workers: 2, Plane: plane, Copies: copies, Machines: capacity.Machines(2, 4, memory)}
	}
	w := demand(true, 16*capacity.GiB)
	for name, tc := range map[string]struct {
		d        capacity.Demand
		rooms    []capacity.Room
		existing int64
		want     string
	}{
		"fits": {w, three, 3, "ok: it requests CPU 5.4, memory 34.6Gi and 77 pods (control plane and 2 workers); free on 3 " +
			"workers, by requests: CPU 48.0, memory 192Gi, 750 pods"},
		"workers too large": {
			demand(true, 256*capacity.GiB), three, 0,
			"missing: no room: it requests CPU 5.4, memory 274.6Gi and 77 pods (control plane and 2 workers); free on 3 " +
				"workers, by requests: CPU 48.0, memory 192Gi, 750 pods",
		},
		"two nodes": {
			w, three[:2], 0,
			"missing: no room: it requests CPU 5.4, memory 34.6Gi and 77 pods (control plane and 2 workers); free on 2 " +
				"workers, by requests: CPU 32.0, memory 128Gi, 500 pods; its control plane takes a third of what it requests on " +
				"each of 3 nodes",
		},
		"full by count": {w, three, 80, "missing: hosted clusters: 80, and the hypershift addon counts 80 as full"},
	} {
		f := judgeRoom(tc.d, tc.rooms, tc.existing, defaultMaxClusters)
		if got := f.State.String() + ": " + f.Message; got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
	if f := judgeRoom(demand(false, 16*capacity.GiB), three[:1], 0, defaultMaxClusters); f.State != step.StateOK {
		t.Errorf("a single-replica control plane fits on one node: %s", f.Message)
	}
}

// nodes are alike, with so much used on each.
func nodes(has capacity.Resources, used ...capacity.Resources) []capacity.Room {
	out := make([]capacity.Room, 0, len(used))
	for _, u := range used {
		out = append(out, capacity.Room{Has: has, Used: u})
	}
	return out
}
