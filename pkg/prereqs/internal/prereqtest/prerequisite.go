package prereqtest

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// Check runs the check of a prerequisite, or of a step of its removal.
func Check(t testing.TB, c *kube.Client, all []prereq.Prerequisite, id step.ID) step.Finding {
	t.Helper()
	return find(t, c, all, id).Check(t.Context(), nil)
}

// Preflight runs the preflight check of a prerequisite for a hosted cluster that is about to be created.
func Preflight(t testing.TB, c *kube.Client, all []prereq.Prerequisite, id step.ID, w prereq.Wanted) step.Finding {
	t.Helper()
	for i := range all {
		if s, needed := all[i].PreflightStep(c, w); needed && s.ID == id {
			return s.Check(t.Context(), nil)
		}
	}
	t.Fatalf("%s is not checked for that hosted cluster", id)
	return step.Finding{}
}

// Apply runs Apply of a prerequisite, or of a step of its removal.
func Apply(t testing.TB, c *kube.Client, all []prereq.Prerequisite, id step.ID) (step.Change, error) {
	t.Helper()
	s := find(t, c, all, id)
	if s.Apply == nil {
		t.Fatalf("%s cannot be applied", id)
	}
	return s.Apply(t.Context())
}

func find(t testing.TB, c *kube.Client, all []prereq.Prerequisite, id step.ID) step.Step {
	t.Helper()
	var steps []step.Step
	for i := range all {
		steps = append(append(steps, all[i].Step(c)), all[i].Removal(c)...)
	}
	return steptest.Find(t, steps, id)
}
