// Package steptest has helpers for tests of steps.
package steptest

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/step"
)

// IDs returns the IDs of the steps in their order, separated by spaces.
func IDs(steps []step.Step) string {
	var out []string
	for i := range steps {
		out = append(out, string(steps[i].ID))
	}
	return strings.Join(out, " ")
}

// Find returns the step with that ID, and fails the test if it does not exist.
func Find(t testing.TB, steps []step.Step, id step.ID) step.Step {
	t.Helper()
	for i := range steps {
		if steps[i].ID == id {
			return steps[i]
		}
	}
	t.Fatalf("no step %s among %s", id, IDs(steps))
	return step.Step{}
}

// Expect fails the test unless the finding has the state, and its object, message or hint contains each of the words.
func Expect(t testing.TB, f step.Finding, state step.State, words ...string) {
	t.Helper()
	text := f.Object + ": " + f.Message + " (" + f.Hint.String() + ")"
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s %s: want %q in it", f.State, text, w)
		}
	}
	if f.State != state {
		t.Errorf("%s %s: want %s", f.State, text, state)
	}
}
