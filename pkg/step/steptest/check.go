package steptest

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/step"
)

// Check returns the finding of one step, without its needs.
func Check(t testing.TB, steps []step.Step, id step.ID) step.Finding {
	t.Helper()
	s := Find(t, steps, id)
	s.Needs, s.After = nil, nil
	g, err := step.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return g.Check(t.Context(), step.Options{}).Results[0].Finding
}
