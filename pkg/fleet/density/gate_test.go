package density

import (
	"context"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// opened is a run of two clusters in a directory of its own.
func opened(t *testing.T) *Run {
	t.Helper()
	run, err := Open(t.Context(), Options{Name: "kv-%d", Count: 2, Out: t.TempDir(), Limits: DefaultLimits()}, nil,
		&kube.Meter{}, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(run.Close)
	run.record.Baseline = baselineOf(three(), 0, 80)
	return run
}

func TestARunThatStoppedBeginsNoneAndCutsHarmShort(t *testing.T) {
	run := opened(t)
	okay := func(context.Context, step.Reads) step.Finding { return step.OK("") }
	steps := run.withBeginSteps([]step.Step{
		{ID: "kv-0/objects/name", Subject: "clusters/kv-0", Check: okay},
		{ID: "kv-0/cluster/api", Subject: "clusters/kv-0", Check: okay, Needs: []step.ID{"kv-0/objects/name"}},
		{ID: "kv-1/objects/name", Subject: "clusters/kv-1", Check: okay},
	})
	if steps[0].ID != "kv-0/density/room" || steps[1].Needs[0] != "kv-0/density/room" ||
		steps[2].Needs[0] != "kv-0/objects/name" || steps[3].ID != "kv-1/density/room" {
		t.Fatalf("the gates stand wrongly: %v", steps)
	}
	run.record.Clusters[0].State = Begun // taken up again
	cut := false
	run.stop = func() { cut = true }
	s := three()
	s.Nodes[0].Ready = false
	run.mu.Lock()
	run.addSample(s)
	run.mu.Unlock()
	if !cut || run.record.Stop == nil || run.record.Stop.Name != StopNodes {
		t.Fatalf("cut %v, sign %v", cut, run.record.Stop)
	}
	g, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	rep := g.Run(t.Context(), step.Options{})
	for _, id := range []step.ID{"kv-0/density/room", "kv-1/density/room"} {
		if res, _ := rep.Get(id); res.Good() || res.Finding.Message != "not begun" {
			t.Errorf("%s: %s %q", id, res.Outcome, res.Finding.Message)
		}
	}
	if run.record.Clusters[1].State != Waiting {
		t.Error("a cluster was begun after the run stopped")
	}
	if back, err := Read(run.opt.Out); err != nil || back.Stop == nil {
		t.Errorf("the sign is not on the disk: %v", err)
	}
}

func TestWhatIsSeenIsKeptAtOnce(t *testing.T) {
	run := opened(t)
	own := run.record.Clusters[0]
	own.State = Begun
	event := func(id step.ID, phase step.Phase, seconds float64, change step.Change) {
		s := &step.Step{ID: id}
		run.observe(step.Event{Time: *at(seconds), Phase: phase, Step: s, Change: change,
			Result: &step.Result{Step: s, Outcome: step.OutcomeDone, Change: change}})
	}
	event("kv-0/objects/hosted-cluster", step.Applied, 10, step.Created)
	event("kv-0/cluster/accepted", step.Finished, 11.5, step.Unchanged)
	event("kv-0/cluster/advice", step.Finished, 12, step.Unchanged)
	event("kv-0/hosted/nodes", step.Finished, 13, step.Unchanged)
	event("kv-0/delete/hosted-cluster", step.Applied, 100, step.Deleted)
	event("kv-0/delete/hosted-cluster", step.Applied, 105, step.Unchanged)
	event("kv-0/delete/hosted-cluster", step.Finished, 110, step.Deleted)
	back, err := Read(run.opt.Out)
	if err != nil {
		t.Fatal(err)
	}
	got := back.Clusters[0]
	if len(got.Milestones) != 2 || got.Milestones["accepted"] != (MilestoneTime{1.5, observed}) ||
		got.Milestones["nodes"].Seconds != 3 ||
		got.Deletion.Parts["hosted-cluster"] != 10 {
		t.Errorf("%+v, %+v", got.Milestones, got.Deletion)
	}

	// Taken up again, what holds at first sight turned when nobody looked: it is not as late as now.
	again := run.record.Clusters[1]
	again.Written, again.State = at(0), Begun
	event("kv-1/cluster/accepted", step.Finished, 500, step.Unchanged)
	event("kv-1/cluster/etcd", step.Finished, 501, "")
	if len(again.Milestones) != 1 || again.Milestones["etcd"].Seconds != 501 {
		t.Errorf("%+v", again.Milestones)
	}
}
