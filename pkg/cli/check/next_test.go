package check

import (
	"context"
	"testing"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestNextHasTheFlagThatIsNeeded: what only the user knows is in the command that a check ends with.
func TestNextHasTheFlagThatIsNeeded(t *testing.T) {
	missing := func(f step.Finding) step.Result {
		return step.Result{Outcome: step.OutcomeMissing, Finding: f, Step: &step.Step{
			Apply: func(context.Context) (step.Change, error) { return step.Created, nil }}}
	}
	pool := step.Missing("there are no addresses").WithHint("%s, with free addresses of the node network",
		hint.Run("bootstrap").Flag("metallb-range", "FIRST-LAST"))
	pool.Final = true
	r := step.Report{Results: []step.Result{missing(step.Missing("not installed")), missing(pool)}}
	r.Results[1].Step.Apply = nil // without addresses there is nothing to write
	const want = "Next: hcctl bootstrap --metallb-range FIRST-LAST, with free addresses of the node network. " +
		"It installs what is missing (2)."
	if got := afterCheck(&cmdutil.Choice{}, r).String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := afterCheck(&cmdutil.Choice{}, step.Report{Results: r.Results[:1]}).String(); got !=
		"Next: hcctl bootstrap. It installs what is missing (1)." {
		t.Errorf("got %q", got)
	}
}
