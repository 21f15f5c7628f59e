package prereq_test

import (
	"context"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestApplyOfSteps: the engine takes a step without Apply for one that is only looked at.
func TestApplyOfSteps(t *testing.T) {
	c := prereqtest.Serve(t).Client
	var by *kube.Client
	applies := func(_ context.Context, c *kube.Client) (step.Change, error) { by = c; return step.Created, nil }
	p := prereq.Prerequisite{ID: "a/b", Apply: applies, Remove: []prereq.Removal{{ID: "x"}, {ID: "y", Apply: applies}}}
	if change, err := p.Step(c).Apply(t.Context()); change != step.Created || err != nil || by != c {
		t.Errorf("%q, %v, by %p", change, err, by)
	}
	removal := p.Removal(c)
	if removal[0].Apply != nil || removal[1].Apply == nil {
		t.Errorf("got %+v", removal)
	}
	if p.Apply = nil; p.Step(c).Apply != nil {
		t.Error("a prerequisite that is only looked at can be applied")
	}
}
