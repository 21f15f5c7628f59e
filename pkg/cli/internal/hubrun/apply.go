package hubrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

// ApplyFlags are the flags of apply for a hub.
type ApplyFlags struct {
	On                  bool
	placement, moveFrom string
	copySecrets         bool
}

// Bind adds the flags to apply.
func (f *ApplyFlags) Bind(cmd *cobra.Command) {
	Bind(cmd, &f.On)
	cmd.Flags().StringVar(&f.placement, "placement", "", "with --hub: NAMESPACE/NAME of the Placement that chooses the "+
		"management clusters of new hosted clusters")
	cmd.Flags().BoolVar(&f.copySecrets, "copy-secrets", false, "with --hub: bring the Secrets of new clusters to their "+
		"management clusters in ManifestWorks of their own, readable on the hub; without it they have to be there")
	cmd.Flags().StringVar(&f.moveFrom, "move-from", "", "with --hub: create the clusters of this lost management cluster "+
		"anew, empty, on others")
}

// Validate returns an error for flags that do not go together.
func (f *ApplyFlags) Validate(cmd *cobra.Command) error {
	if err := Without(cmd, f.On, []string{"render", "skip-preflight", "probe", "probe-host"},
		"placement", "copy-secrets", "move-from"); err != nil {
		return err
	}
	if cmd.Flags().Changed("placement") {
		if _, err := f.named(); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("move-from") && len(validation.IsDNS1123Subdomain(f.moveFrom)) > 0 {
		return fmt.Errorf("--move-from %q: it is not the name of a ManagedCluster", f.moveFrom)
	}
	return nil
}

// named returns the name of the Placement; empty without --placement.
func (f *ApplyFlags) named() (types.NamespacedName, error) {
	if f.placement == "" {
		return types.NamespacedName{}, nil
	}
	return PlacementName(f.placement)
}

// PlacementName parses the value of --placement.
func PlacementName(given string) (types.NamespacedName, error) {
	namespace, name, both := strings.Cut(given, "/")
	if !both || len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return types.NamespacedName{}, fmt.Errorf("--placement %q: give NAMESPACE/NAME", given)
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, nil
}

// Apply delivers the clusters to their management clusters (sites).
func Apply(ctx context.Context, a *cmdutil.Factory, f *ApplyFlags, run cmdutil.FleetFlags,
	wanted []fleet.DesiredCluster, wait options.Wait) error {
	if err := a.Prompter.NeedsConsent("apply --move-from", run.DryRun || f.moveFrom == ""); err != nil {
		return err
	}
	placement, err := f.named()
	if err != nil {
		return err
	}
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	opt := hub.ApplyOptions{Placement: placement, CopySecrets: f.copySecrets, MoveFrom: f.moveFrom, Wait: wait,
		Parallel: run.ParallelReads()}
	if run.DryRun {
		return planApply(ctx, a, t, wanted, opt, run)
	}
	apply, err := hub.PrepareApply(ctx, t.Client, wanted, opt)
	if err != nil {
		return err
	}
	warn(a, apply)
	if err := a.Prompter.Consent(ctx, question(apply, t, f.moveFrom)); err != nil {
		return err
	}
	if err := apply.WriteScores(ctx); err != nil && ctx.Err() == nil {
		a.Notices.Warn("the scores of the management clusters could not be written: "+err.Error(),
			hint.Run("rbac").Flag("for", "hub").Text())
	}
	_, err = a.Runner.RunFleet(ctx, t, apply.Steps(), cmdutil.FleetRun{FleetFlags: run, Command: "apply",
		Heading: cmdutil.Textf("Applying %s through the hub %s", plural.Count(len(wanted), "hosted cluster"), t),
		Resume:  hint.New("what is delivered stays: the same command continues from there")})
	return err
}

// warn prints warnings about what stays unchanged, and names the options in errors by their flags.
func warn(a *cmdutil.Factory, apply *hub.Apply) {
	for _, m := range apply.Members {
		_ = cmdutil.NameFlags(m.Err)
		if left := apply.Plans[m.Subject()].Left; len(left) > 0 {
			a.Notices.Warn(m.Subject()+" exists, and stays as it is in "+strings.Join(left, ", "), hint.Text{})
		}
	}
	for _, line := range firstSecrets(apply) {
		a.Notices.Warn(string(line), hint.Text{})
	}
	var uncounted []string
	for _, site := range slices.Sorted(maps.Keys(apply.Uncounted)) {
		uncounted = append(uncounted, site+" ("+apply.Uncounted[site]+")")
	}
	if len(uncounted) > 0 {
		a.Notices.Warn("what these management clusters have room for is not known, so each new hosted cluster goes to the "+
			"one that has the fewest: "+cmdutil.Few(uncounted),
			hint.New("%s there counts it; it holds for an hour", hint.Run("check").Flag("publish")))
	}
}

// firstSecrets returns a line for each site that gets Secrets for the first time, because its administrators can
// read them.
func firstSecrets(apply *hub.Apply) []cmdutil.Text {
	at := map[string][]string{}
	for _, m := range apply.Prepared() {
		if plan := apply.Plans[m.Subject()]; plan.FirstSecrets {
			at[plan.Site] = append(at[plan.Site], m.Subject())
		}
	}
	var lines []cmdutil.Text
	for _, site := range slices.Sorted(maps.Keys(at)) {
		slices.Sort(at[site])
		lines = append(lines, cmdutil.Textf("site %s gets Secrets for the first time, those of %s: its administrators, and "+
			"all who read ManifestWorks in the hub's namespace %s, can read them", site, cmdutil.Few(at[site]), site))
	}
	return lines
}

// question asks once for all clusters. It warns that moved clusters lose all data on the lost site, and that
// Secrets cannot be taken back from a site.
func question(apply *hub.Apply, t *cmdutil.Target, from string) cmdutil.Question {
	var names []string
	var details []cmdutil.Text
	for _, m := range apply.Prepared() {
		plan := apply.Plans[m.Subject()]
		names = append(names, m.Subject())
		if plan.Moved {
			details = append(details, cmdutil.Textf("  %s: created anew and empty on site %s; on site %s it is deleted, with "+
				"all its data, as soon as that is back", m.Subject(), plan.Site, from))
		}
	}
	slices.Sort(names)
	ask := cmdutil.Textf("Deliver %s (%s) through the hub, %s?", plural.Count(len(names), "hosted cluster"),
		cmdutil.Few(names), t.Named())
	command, moved := "apply --move-from", len(details)
	if moved == 0 {
		command = "apply --copy-secrets"
	}
	for _, line := range firstSecrets(apply) {
		details = append(details, "  "+line)
	}
	if len(details) == 0 {
		return cmdutil.Question{Ask: ask}
	}
	q := cmdutil.Destruction(command, ask, details...)
	q.Count = moved
	return q
}

// planApply prints what apply would deliver.
func planApply(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, wanted []fleet.DesiredCluster,
	opt hub.ApplyOptions, run cmdutil.FleetFlags) error {
	var apply *hub.Apply
	p, err := cmdutil.PlanFleet(ctx, t, run, func(dry *cmdutil.Target) (steps []step.Step, err error) {
		if apply, err = hub.PrepareApply(ctx, dry.Client, wanted, opt); err != nil {
			return nil, err
		}
		warn(a, apply)
		return apply.Steps(), nil
	})
	if err != nil {
		return err
	}
	title := fmt.Sprintf("What hcctl apply would do through the hub %s", t)
	if err := a.Plans.PrintFleet(p, "FleetPlan", title, run.Output); err != nil {
		return err
	}
	return p.Verdict()
}

// errNothing means that the selection matches no cluster.
var errNothing = errors.New("no hosted cluster of the hub is chosen")
