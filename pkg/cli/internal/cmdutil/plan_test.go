package cmdutil

import (
	"context"
	"errors"
	"testing"

	"github.com/hcctl/hcctl/pkg/step"
)

// TestVerdictOfAPlan holds the exit codes of dry runs, which are a contract with scripts.
func TestVerdictOfAPlan(t *testing.T) {
	refused := errors.New("the API server refuses it")
	for name, c := range map[string]struct {
		plan step.Forecasts
		want int
	}{
		"nothing to do": {step.Forecasts{{Action: step.ActionKeep}}, ExitDone},
		"a write":       {step.Forecasts{{Action: step.ActionKeep}, {Action: step.ActionWrite}}, ExitDiffers},
		"only a wait":   {step.Forecasts{{Action: step.ActionWait}}, ExitDiffers},
		"a write and what depends on it": {
			step.Forecasts{{Action: step.ActionWrite}, {Action: step.ActionOpen}}, ExitDiffers,
		},
		"a person is needed": {step.Forecasts{{Action: step.ActionWrite}, {Action: step.ActionPerson}}, ExitMissing},
		"broken":             {step.Forecasts{{Action: step.ActionStop}, {Action: step.ActionLeave}}, ExitMissing},
		"a refused write":    {step.Forecasts{{Action: step.ActionStop, Err: refused}}, ExitMissing},
		"unreadable, and a write": {
			step.Forecasts{{Action: step.ActionUnseen}, {Action: step.ActionWrite}}, ExitError,
		},
		"unreadable, and broken": {step.Forecasts{{Action: step.ActionUnseen}, {Action: step.ActionStop}}, ExitMissing},
		"interrupted": {
			step.Forecasts{{Action: step.ActionStop}, {Action: step.ActionUnseen, Err: context.Canceled}}, ExitInterrupted,
		},
	} {
		if code := ExitCode((&Planned{Forecasts: c.plan}).Verdict()); code != c.want {
			t.Errorf("%s: exit %d, want %d", name, code, c.want)
		}
	}
}
