package bootstrap

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestCannot(t *testing.T) {
	missing := step.Missing("there are no addresses").WithHint("hcctl bootstrap --metallb-range FIRST-LAST")
	p := &cmdutil.Planned{Forecasts: step.Forecasts{
		{Step: &step.Step{Title: "MetalLB"}, Action: step.ActionWrite, Finding: step.Missing("not installed")},
		{Step: &step.Step{Title: "address pool"}, Action: step.ActionPerson, Finding: missing},
		{Step: &step.Step{Title: "snapshots", Severity: step.Advisory}, Action: step.ActionPerson, Finding: missing},
		{Step: &step.Step{Title: "advertisement"}, Action: step.ActionLeave},
	}}
	want := []cmdutil.Text{"Will still be missing: address pool: there are no addresses → " +
		"hcctl bootstrap --metallb-range FIRST-LAST"}
	if diff := cmp.Diff(want, manualSteps(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
