package apply

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// Plan prints what apply would create or change, as the API server sees it, and whether there is room for all
// new clusters.
func Plan(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, wanted []fleet.DesiredCluster,
	prepare fleet.PrepareOptions,
	f cmdutil.FleetFlags) error {
	var apply *fleet.Apply
	p, err := cmdutil.PlanFleet(ctx, t, f, func(dry *cmdutil.Target) (steps []step.Step, err error) {
		prepare.Planner = dry.Client
		if apply, err = fleet.PrepareApply(ctx, t.Client, wanted, prepare); err != nil {
			return nil, err
		}
		nameFlags(apply)
		return apply.Steps(), nil
	})
	if err != nil {
		return err
	}
	if err := a.Plans.PrintFleet(p, "FleetPlan", fmt.Sprintf("What hcctl apply would do on %s", t),
		f.Output); err != nil {
		return err
	}
	warnMembers(a, apply)
	if err := FleetPreflight(ctx, a, t, apply, f.SkipPreflight); err != nil {
		return err
	}
	return p.Verdict()
}
