package delete

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// planDeletes prints what delete clusters would remove, and what is lost.
func planDeletes(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, named []fleet.ClusterName,
	f deleteClustersFlags) error {
	var del *fleet.Delete
	p, err := cmdutil.PlanFleet(ctx, t, f.FleetFlags, func(dry *cmdutil.Target) (steps []step.Step, err error) {
		if del, err = fleet.PrepareDelete(ctx, dry.Client, named, f.Options, f.ParallelReads()); err != nil {
			return nil, err
		}
		return del.Steps(), nil
	})
	if err != nil {
		return err
	}
	if err := f.refuseAbsent(del); err != nil {
		return err
	}
	tellAbsent(a, del.Absent...)
	tellLeft(a, del)
	if f.several.Selects() {
		f.several.Expect.Warn(a, len(named), del.Creating)
	}
	if len(del.Members) == 0 && f.Output == "" {
		err := cmdutil.Say(a.Streams.Err, "There is nothing to delete.\n")
		return err
	}
	for _, m := range del.Members {
		if things := del.Outside[m.Subject()]; len(things) > 0 {
			p.Outside = append(p.Outside, cmdutil.OutsideOf{Cluster: m.Subject(), Outside: things})
		}
	}
	if err := a.Plans.PrintFleet(p, "FleetDeletePlan", fmt.Sprintf("What hcctl delete clusters would remove from %s", t),
		cmdutil.LostOf(del), f.Output); err != nil {
		return err
	}
	return p.Verdict()
}
