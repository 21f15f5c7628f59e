package delete

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
)

func newDeleteClusters(a *cmdutil.Factory) *cobra.Command {
	f := deleteFlags{Options: deletion.Defaults(), ignoreAbsent: true, several: &each.Flags{Deletes: true, Table: true}}
	cmd := &cobra.Command{
		Use:   "clusters NAME... | -l SELECTOR | --older-than AGE | --expired | --owner NAME | -f FILE",
		Short: "Delete several hosted clusters and wait until nothing of them is left",
		Long: `delete clusters deletes each hosted cluster that is named, that has the labels, or that the files describe,
as delete cluster does, several at a time. It asks once, naming all of them. A cluster that cannot be deleted does
not stop the others; at the end a table shows the result of each, and what blocks those that are left.

Clusters that do not exist are reported and skipped, so that the same command can be run again after an interruption;
with --ignore-not-found=false they are an error, and nothing is deleted.

--older-than chooses by the time since the creation, by the API server's clock, alone or with --selector. A selection
may match what somebody is still creating: a hosted cluster that has not been complete yet, in the first six hours. The
question names those, and --yes needs --expect with the number of all that match.

--expired chooses those whose expiry has passed (create cluster --expires) by the clocks of the API server and of this
machine; one without that mark, or with an invalid one, never expires. --owner chooses those of one owner. A selection
by labels or age alone is refused if it has clusters of another owner than the pipeline that hcctl runs in, as its CI
variables say (create cluster --owner); in a pipeline also those without one. --any-owner agrees to them.

With --hub it deletes hosted clusters of any management cluster of a hub: their sites delete them, and one that is not
available does so when it is back. --older-than counts from the delivery to the site.`,
		Example: `  hcctl delete clusters kv-00 kv-01
  hcctl delete clusters -l fleet=lab --dry-run
  hcctl delete clusters -l fleet=lab --parallel 5
  hcctl delete clusters -l fleet=lab -A --yes --expect 12
  hcctl delete clusters -l ci=true --older-than 24h --yes
  hcctl delete clusters -A --expired --yes
  hcctl delete clusters --owner net-e2e --expired --yes
  hcctl delete clusters -f fleet.yaml`,
		Args: func(cmd *cobra.Command, args []string) error { return cmdutil.Named(cmd, "hosted cluster", args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if len(f.Files) > 0 {
				clusters, err := a.Files.WantedClusters(f.Files, f.Env)
				if err != nil {
					return cmdutil.Misuse(cmd, err)
				}
				for _, c := range clusters {
					f.several.Of = append(f.several.Of, fleet.ClusterName{Namespace: c.Options.Namespace, Name: c.Options.Name})
				}
			}
			if f.hub && f.several.Marks.Choose() {
				return cmdutil.Misuse(cmd, errors.New("--expired, --owner: not with --hub; ask the management clusters"))
			}
			if err := a.Prompter.NeedsConsent("delete clusters", f.DryRun); err != nil {
				return err
			}
			f.TroubleTimeout = 0 // a deletion has no limit for one problem: it reports what blocks it, and waits
			if f.hub {
				return deleteThroughHub(cmd.Context(), a, args, f)
			}
			return f.carryOut(cmd.Context(), a, f.FleetFlags, args)
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

// check returns an error for a command line that selects clusters in several ways, or not at all.
func (f *deleteFlags) check(names []string) error {
	ways := 0
	for _, one := range []bool{len(names) > 0, f.several.Selects(), len(f.Files) > 0} {
		if one {
			ways++
		}
	}
	switch {
	case ways == 0:
		return errors.New("which hosted clusters? Give their names, --selector, --older-than, --expired, --owner or " +
			"--file")
	case ways > 1:
		return errors.New("give names, --selector and its like, or --file: one of them says which hosted clusters are " +
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
