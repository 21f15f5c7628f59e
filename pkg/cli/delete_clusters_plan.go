package cli

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// planDeletes says what delete clusters would remove, and what is lost with it.
func planDeletes(ctx context.Context, a *app, t *target, named []fleet.Name, f deleteClustersFlags) error {
	var del *fleet.Delete
	p, err := a.planFleet(ctx, t, f.fleetFlags, func(dry *target) (steps []step.Step, err error) {
		if del, err = fleet.PrepareDelete(ctx, dry.Client, named, f.Options, f.reads()); err != nil {
			return nil, err
		}
		return del.Steps(), nil
	})
	if err != nil {
		return err
	}
	tellAbsent(a, del)
	tellLeft(a, del)
	if len(del.Members) == 0 && f.output == "" {
		err := say(a.streams.Err, "There is nothing to delete.\n")
		return err
	}
	for _, m := range del.Members {
		if things := del.Outside[m.Subject()]; len(things) > 0 {
			p.outside = append(p.outside, outsideOf{Cluster: m.Subject(), Outside: things})
		}
	}
	if err := a.printFleetPlan(p, "FleetDeletePlan", fmt.Sprintf("What hcctl delete clusters would remove from %s", t), lostOf(del), f.output); err != nil {
		return err
	}
	return p.verdict()
}
