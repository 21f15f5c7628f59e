package check

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/step"
)

// A count is published as 0 while something required lacks, and not at all while something could not be read.
func TestReadiness(t *testing.T) {
	result := func(o step.Outcome, f step.Finding) step.Result {
		return step.Result{Step: &step.Step{ID: "cluster/nodes"}, Outcome: o, Finding: f}
	}
	good, warned := result(step.OutcomeDone, step.OK("")), result(step.OutcomeWarned, step.Missing("full"))
	for name, one := range map[string]struct {
		last    step.Result
		ready   bool
		unknown string
	}{
		"all":      {good, true, ""},
		"advisory": {warned, true, ""},
		"missing":  {result(step.OutcomeMissing, step.Missing("")), false, ""},
		"broken":   {result(step.OutcomeBroken, step.Broken("")), false, ""},
		"unknown":  {result(step.OutcomeFailed, step.Unknown("")), false, "cluster/nodes"},
	} {
		ready, unknown := readiness(step.Report{Results: []step.Result{good, one.last}})
		if ready != one.ready || unknown != one.unknown {
			t.Errorf("%s: %v %q", name, ready, unknown)
		}
	}
}
