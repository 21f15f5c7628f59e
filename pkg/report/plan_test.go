package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

func forecast(id step.ID, w step.Action, f step.Finding) PlannedStep {
	s := result(id, step.OutcomeDone, f).Step
	return PlannedStep{Forecast: step.Forecast{Step: s, Action: w, Finding: f, FindingAfter: f}}
}

func somePlan() []PlannedStep {
	created := forecast("storage/pool", step.ActionWrite, step.Missing("no\n pool"))
	created.Change, created.FindingAfter = step.Created, step.Pending("its operator").On("Pool p")
	created.Writes = []PlannedWrite{
		{Verb: "create", APIVersion: "v1", Kind: "Namespace", Name: "n", Diff: "@@ -0,0 +1,1 @@\n+kind: Namespace\n"},
		{Verb: "change", APIVersion: "x/v1", Kind: "Pool", Namespace: "n", Name: "p",
			Diff: "@@ -3,2 +3,2 @@\n a: b\n-c: d\n+c: e\n", Unvalidated: "no CRD yet"},
	}
	open := forecast("storage/class", step.ActionOpen, step.Missing("none").WithHint("wait for it"))
	open.Prerequisite, open.Err = "storage/pool", errors.New("no\n disks")
	left := forecast("storage/left", step.ActionLeave, step.Finding{})
	left.Prerequisite = "storage/broken"
	return []PlannedStep{
		forecast("cluster/version", step.ActionKeep, step.OK("4.20.3")),
		forecast("cluster/advice", step.ActionKeep, step.Missing("better not")),
		forecast("cluster/skipped", step.ActionKeep, step.Finding{State: step.StateSkipped}), created, open,
		forecast("storage/slow", step.ActionWait, step.Pending("rolling out")),
		forecast("storage/manual", step.ActionPerson, step.Missing("no range").WithHint("give one")),
		forecast("storage/broken", step.ActionStop, step.Broken("two of them")),
		forecast("storage/hidden", step.ActionUnseen, step.Unknown("forbidden")), left,
	}
}

func TestPlanText(t *testing.T) {
	var out bytes.Buffer
	if err := Plan(&out, somePlan(), Screen{}); err != nil {
		t.Fatal(err)
	}
	want := `cluster
  ✓ the cluster/version  nothing to do: 4.20.3
  ! the cluster/advice   warning: better not
  - the cluster/skipped  skipped

storage
  + the storage/pool     to do: no pool
      create Namespace n
        +kind: Namespace
      change Pool n/p
        not validated by the API server: no CRD yet
        @@ -3,2 +3,2 @@
         a: b
        -c: d
        +c: e
      then: Pool p: its operator
  ? the storage/class    undecided until storage/pool is done: no disks
      → wait for it
  … the storage/slow     to wait for: rolling out
  ✗ the storage/manual   needs a manual step or a flag: no range
      → give one
  ✗ the storage/broken   would fail: two of them
  ? the storage/hidden   unknown: forbidden
  - the storage/left     would not start: needs storage/broken

10 steps: 3 with nothing to do, 1 to do, 1 to wait for, 1 undecided until others are done, 1 needing a manual step, 1 that would fail, 1 unknown, 1 that would not start
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestPlanDocument(t *testing.T) {
	data, err := json.Marshal(NewPlanDocument("BootstrapPlan", somePlan()[:5]))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Kind    string
		Changes bool
		Steps   []struct {
			ID, Will, Message, Then, After, Error string
			Writes                                []map[string]string
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != "BootstrapPlan" || !got.Changes || len(got.Steps) != 5 {
		t.Fatalf("%s", data)
	}
	pool, class := got.Steps[3], got.Steps[4]
	if pool.ID != "storage/pool" || pool.Will != "write" || pool.Then != "Pool p: its operator" ||
		pool.Writes[1]["unvalidated"] != "no CRD yet" {
		t.Errorf("%+v", pool)
	}
	if class.Will != "open" || class.After != "storage/pool" || class.Error == "" || class.Writes == nil {
		t.Errorf("%+v", class)
	}
	if NewPlanDocument("BootstrapPlan", somePlan()[:3]).Changes {
		t.Error("a plan without anything to do says it changes something")
	}
}
