package uninstall

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet/hub/sites"
	"github.com/hcctl/hcctl/pkg/step"
)

// runUninstallHub stops the delivery to all sites. What was delivered stays there.
func runUninstallHub(ctx context.Context, a *cmdutil.Factory, f uninstallFlags) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	steps := func(t *cmdutil.Target) ([]step.Step, error) { return sites.Removal(ctx, t.Client) }
	p, err := cmdutil.PlanWrites(ctx, t, func(t *cmdutil.Target) (*step.Graph, error) {
		all, err := steps(t)
		if err != nil {
			return nil, err
		}
		return step.New(all...)
	}, func(opt *step.Options) { opt.Timeout = cmdutil.PlanTimeout })
	if err != nil {
		return err
	}
	if f.dryRun || a.Prompter.Asks() && p.Forecasts.Changes() {
		title := fmt.Sprintf("What hcctl uninstall would stop delivering through the hub %s", t)
		if err := a.Plans.Print(p, f.output, "UninstallPlan", title); err != nil {
			return err
		}
	}
	if f.dryRun {
		return p.Verdict()
	}
	if p.Forecasts.Changes() {
		ask := cmdutil.Textf("Stop delivering prerequisites to the management clusters of %s? What they have stays.",
			t.Named())
		if err := a.Prompter.Consent(ctx, cmdutil.Destruction("uninstall", ask)); err != nil {
			return err
		}
	}
	all, err := steps(t)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return cmdutil.Say(a.Streams.Err, "There is nothing to do: nothing is delivered.\n")
	}
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: all, Timeout: f.timeout,
		Heading: cmdutil.Textf("Stopping the delivery through the hub %s", t)})
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return cmdutil.WithResume(err, "%s continues from there", hint.Run("uninstall").Flag("hub"))
	}
	cmdutil.Tell(a.Streams.Err, "Nothing is delivered any more; what the sites have stays. hcctl uninstall at a site "+
		"removes it there.\n")
	return nil
}
