package delete

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/cli/kubeconfig"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/step"
)

// deleteClustersFlags are the flags of delete clusters.
type deleteClustersFlags struct {
	cmdutil.FleetFlags
	deletion.Options
	several      *each.Flags
	ignoreAbsent bool
	hub          bool
}

func newDeleteClusters(a *cmdutil.Factory) *cobra.Command {
	f := deleteClustersFlags{Options: deletion.Defaults(), ignoreAbsent: true, several: &each.Flags{Deletes: true}}
	cmd := &cobra.Command{
		Use:   "clusters NAME... | -l SELECTOR | --older-than AGE | -f FILE",
		Short: "Delete several hosted clusters and wait until nothing of them is left",
		Long: `delete clusters deletes each hosted cluster that is named, that has the labels, or that the files describe,
as delete cluster does, several at a time. It asks once, naming all of them. A cluster that cannot be deleted does
not stop the others; at the end a table shows the result of each, and what blocks those that are left.

Clusters that do not exist are reported and skipped, so that the same command can be run again after an interruption;
with --ignore-not-found=false they are an error, and nothing is deleted.

--older-than chooses by the time since the creation, by the API server's clock, alone or with --selector. A selection
may match what somebody is still creating: a hosted cluster that has not been complete yet, in the first six hours. The
question names those, and --yes needs --expect with the number of all that match.

With --hub it deletes hosted clusters of any management cluster of a hub: their sites delete them, and one that is not
available does so when it is back. --older-than counts from the delivery to the site.`,
		Example: `  hcctl delete clusters kv-00 kv-01
  hcctl delete clusters -l fleet=lab --dry-run
  hcctl delete clusters -l fleet=lab --parallel 5
  hcctl delete clusters -l fleet=lab -A --yes --expect 12
  hcctl delete clusters -l ci=true --older-than 24h --yes
  hcctl delete clusters -f fleet.yaml`,
		Args: func(cmd *cobra.Command, args []string) error { return cmdutil.Named(cmd, "hosted cluster", args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			var named []fleet.ClusterName
			if len(f.Files) > 0 {
				clusters, err := a.Files.WantedClusters(f.Files, f.Env)
				if err != nil {
					return cmdutil.Misuse(cmd, err)
				}
				for _, c := range clusters {
					named = append(named, fleet.ClusterName{Namespace: c.Options.Namespace, Name: c.Options.Name})
				}
			}
			if f.hub {
				return deleteThroughHub(cmd.Context(), a, args, named, f)
			}
			for _, name := range args {
				named = append(named, fleet.ClusterName{Namespace: cmdutil.ClustersNamespace(a.Call), Name: name})
			}
			if err := a.Prompter.NeedsConsent("delete clusters", f.DryRun); err != nil {
				return err
			}
			return deleteClusters(cmd.Context(), a, func(t *cmdutil.Target) ([]fleet.ClusterName, error) {
				if f.several.Selects() {
					return f.several.Choose(cmd.Context(), a, t, nil)
				}
				return named, nil
			}, f)
		},
	}
	bindIgnoreNotFound(cmd.Flags(), &f.ignoreAbsent)
	hubrun.Bind(cmd, &f.hub)
	f.Bind(cmd, "delete", "removed")
	_ = cmd.Flags().MarkHidden("trouble-timeout")
	bindDeleteOptions(cmd.Flags(), &f.Options)
	f.several.BindSelection(cmd)
	cmd.Flags().BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before deleting")
	return cmd
}

// check refuses command lines that select clusters in several ways, or not at all.
func (f *deleteClustersFlags) check(names []string) error {
	said := 0
	for _, one := range []bool{len(names) > 0, f.several.Selects(), len(f.Files) > 0} {
		if one {
			said++
		}
	}
	switch {
	case said == 0:
		return errors.New("which hosted clusters? Give their names, --selector, --older-than or --file")
	case said > 1:
		return errors.New("give names, --selector and --older-than, or --file: one of them says which hosted clusters are " +
			"meant")
	case f.Env != "" && len(f.Files) == 0:
		return errors.New("--env: it needs --file; --selector env=NAME selects by the label that apply writes")
	case f.GracePeriod < 0:
		return fmt.Errorf("--cluster-grace-period %s: give a time above zero, such as 10m, or 0 for as long as it takes",
			f.GracePeriod)
	}
	if err := f.several.Check(); err != nil {
		return err
	}
	return f.Validate()
}

// deleteClusters deletes the hosted clusters that choose returns.
func deleteClusters(ctx context.Context, a *cmdutil.Factory, choose func(*cmdutil.Target) ([]fleet.ClusterName, error),
	f deleteClustersFlags) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	named, err := choose(t)
	if err != nil {
		return err
	}
	if f.DryRun && len(named) > 0 {
		return planDeletes(ctx, a, t, named, f)
	}
	del, err := fleet.PrepareDelete(ctx, t.Client, named, f.Options, f.ParallelReads())
	if err != nil {
		return err
	}
	if err := f.refuseAbsent(del); err != nil {
		return err
	}
	tellAbsent(a, del.Absent...)
	tellLeft(a, del)
	if len(del.Members) == 0 {
		err = cmdutil.Say(a.Streams.Err, "There is nothing to delete.\n")
		return err
	}
	if f.several.Selects() {
		if err := f.several.Expect.Agree(a.Prompter.Yes, len(named), del.Creating); err != nil {
			return err
		}
	}
	if err := a.Prompter.Consent(ctx, deleteAllQuestion(del, t)); err != nil {
		return err
	}
	heading := cmdutil.Textf("Deleting %s on %s", plural.Count(len(del.Members), "hosted cluster"), t)
	f.TroubleTimeout = 0 * time.Second // a deletion reports what blocks it and waits
	r, err := a.Runner.RunFleet(ctx, t, del.Steps(), cmdutil.FleetRun{FleetFlags: f.FleetFlags, Heading: heading,
		Command: "delete clusters",
		Resume:  hint.New("what is deleted stays deleted: the same command continues with the rest")})
	for _, m := range del.Members {
		if IsGone(r, m.Subject()) {
			kubeconfig.ForgetKubeconfig(context.WithoutCancel(ctx), a, t, m.Namespace, m.Name)
		}
	}
	return err
}

// refuseAbsent fails for clusters of which nothing exists, unless they are to be ignored.
func (f *deleteClustersFlags) refuseAbsent(del *fleet.Delete) error {
	var errs []error
	for _, absent := range del.Absent {
		if !f.ignoreAbsent {
			errs = append(errs, fmt.Errorf("no hosted cluster %q in namespace %q", absent.Name, absent.Namespace))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return cmdutil.WithHint(errors.Join(errs...), "%s lists all hosted clusters", hint.Run("get clusters").Flag("A"))
}

// tellAbsent names the clusters of which nothing exists.
func tellAbsent(a *cmdutil.Factory, names ...fleet.ClusterName) {
	for _, absent := range names {
		cmdutil.Tell(a.Streams.Err, "Hosted cluster %s/%s does not exist, and nothing of it is left.\n", absent.Namespace,
			absent.Name)
	}
}

// tellLeft says what of each cluster stays, and why.
func tellLeft(a *cmdutil.Factory, del *fleet.Delete) {
	for _, m := range del.Members {
		for _, left := range del.Left[m.Subject()] {
			cmdutil.Tell(a.Streams.Err, "Left as it is, of %s: %s\n", m.Subject(), left)
		}
	}
}

// IsGone reports whether all steps of a subject ended well.
func IsGone(r step.Report, subject string) bool {
	found := false
	for _, res := range r.Results {
		if res.Step.Subject != subject {
			continue
		}
		if found = true; !res.Good() {
			return false
		}
	}
	return found
}

// deleteAllQuestion names every cluster with what is lost. The answer to more than one is their number.
func deleteAllQuestion(del *fleet.Delete, t *cmdutil.Target) cmdutil.Question {
	what, whose := plural.Count(len(del.Members), "hosted cluster"), "their"
	if len(del.Members) == 1 {
		what, whose = "hosted cluster "+del.Members[0].Subject(), "its"
	}
	q := cmdutil.Destruction("delete clusters",
		cmdutil.Textf("Delete %s, with all %s data, on %s?", what, whose, t.Named()))
	q.Count = len(del.Members)
	if line := each.StillCreated(del.Creating); line != "" {
		q.Details = append(q.Details, line)
	}
	for _, m := range del.Members {
		line := cmdutil.Textf("  %s", m.Subject())
		if lost := del.Lost[m.Subject()]; len(lost) > 0 {
			line = cmdutil.Textf("%s: lost for good: %s", line, lost)
		}
		q.Details = append(q.Details, line)
		for _, one := range outsideLines(del.Outside[m.Subject()]) {
			q.Details = append(q.Details, "  "+one)
		}
	}
	return q
}
