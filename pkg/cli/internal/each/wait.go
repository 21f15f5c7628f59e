package each

import (
	"context"
	"errors"
	"time"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// Wait waits for the hosted clusters of the command line, whose steps of returns; they only wait. Each has the timeout
// for itself, from when its turn comes. The target's SharedReads are for what of reads.
func (f *Flags) Wait(ctx context.Context, a *cmdutil.Factory, names []string, command string,
	timeout, trouble time.Duration,
	output string, of func(*cmdutil.Target, fleet.ClusterName) ([]step.Step, error)) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	chosen, err := f.Chosen(ctx, a, t, names)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		return cmdutil.Missing(errors.New("there is nothing to wait for"),
			"hcctl get clusters -A --show-labels lists all hosted clusters with their labels")
	}
	t.SharedReads = informer.NewSharedReads(ctx)
	run := cmdutil.FleetOf(f.parallel, timeout, trouble, output, false)
	prepared, err := fleet.PrepareEach(ctx, chosen, run.ParallelReads(),
		func(one fleet.ClusterName) ([]step.Step, error) { return of(t, one) })
	if err != nil {
		return err
	}
	_, err = a.Runner.RunFleet(ctx, t, prepared.Steps(), cmdutil.FleetRun{FleetFlags: run, Command: command,
		Heading: cmdutil.Textf("Waiting for %s on %s", plural.Count(len(chosen), f.noun()), t),
		Resume:  "run the same command again to keep waiting"})
	return err
}
