package cli

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// planApply says what apply would create or change, as the API server sees it, and whether there is room for all that is new.
func planApply(ctx context.Context, a *app, t *target, wanted []fleet.Wanted, look fleet.Look, f fleetFlags) error {
	var apply *fleet.Apply
	p, err := a.planFleet(ctx, t, f, func(dry *target) (steps []step.Step, err error) {
		look.Planner = dry.Client
		if apply, err = fleet.PrepareApply(ctx, t.Client, wanted, look); err != nil {
			return nil, err
		}
		return apply.Steps(), nil
	})
	if err != nil {
		return err
	}
	if err := a.printFleetPlan(p, "FleetPlan", fmt.Sprintf("What hcctl apply would do on %s", t), nil, f.output); err != nil {
		return err
	}
	if err := fleetPreflight(ctx, a, t, apply, f.skipPreflight); err != nil {
		return err
	}
	return p.verdict()
}
