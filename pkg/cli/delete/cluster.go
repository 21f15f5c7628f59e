package delete

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/kubeconfig"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
)

// New returns the command delete.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("delete", "Delete hosted clusters or a node pool", newDeleteCluster(a), newDeleteClusters(a),
		newDeleteNodePool(a))
	cmd.GroupID = "hosted"
	return cmd
}

// deleteFlags are the flags of delete cluster and delete clusters.
type deleteFlags struct {
	cmdutil.FleetFlags
	deletion.Options
	several      *each.Flags
	ignoreAbsent bool
	hub          bool
}

func newDeleteCluster(a *cmdutil.Factory) *cobra.Command {
	f, wait := deleteFlags{Options: deletion.Defaults(), several: &each.Flags{Deletes: true}}, true
	cmd := &cobra.Command{
		Use:     each.Use,
		Aliases: []string{}, // delete clusters is a separate command
		Short:   "Delete hosted clusters and wait until nothing of them is left",
		Long: `delete cluster detaches the ManagedCluster, deletes the HostedCluster with its NodePools, waits until the
control plane's namespace and its volumes are gone, and removes what create cluster created: Secrets, the CA bundle,
pools of addresses, and the namespace if it made that too and nothing else is in it; and what kubeconfig --merge
wrote for it. While it waits, it shows what blocks the deletion: which finalizer on which object, and which
controller removes it. It never removes a finalizer itself.

If the HostedCluster is already gone, what is left of it is removed. After an interruption, run the same command
again to continue. Several hosted clusters are deleted --parallel at a time, after one question that is answered with
their number; one that cannot be deleted does not stop the others, and a table shows the result of each. If one of
those that are named does not exist, nothing is deleted, except with --ignore-not-found.

--older-than chooses by the time since the creation, by the API server's clock. A selection may match what somebody is
still creating: the question names those clusters, and --yes needs --expect with the number of all that match.
--expired and --owner choose by the marks of create cluster --expires and --owner. A selection by labels or age alone
is refused if it has clusters of another owner than the pipeline that hcctl runs in; --any-owner agrees to them.

https://github.com/hcctl/hcctl/blob/main/docs/delete.md explains what can block a deletion and
what to do.`,
		Example: `  hcctl delete cluster kv-00
  hcctl delete cluster kv-00 kv-01 --dry-run
  hcctl delete cluster -l fleet=lab --parallel 5
  hcctl delete cluster -l ci=true --older-than 24h --yes
  hcctl delete cluster kv-00 --yes --timeout 1h
  hcctl delete cluster kv-00 --yes --ignore-not-found
  hcctl delete cluster kv-00 --destroy-cloud-resources=false`,
		Args: f.several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(f.several.One(args), wait); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.Prompter.NeedsConsent("delete cluster", f.DryRun); err != nil {
				return err
			}
			f.NoWait = !wait
			return f.carryOut(cmd.Context(), a, cmdutil.FleetOf(f.several.Parallel, f.Timeout, 0, f.Output, f.DryRun), args)
		},
	}
	flags := cmd.Flags()
	f.several.Bind(cmd)
	bindDeleteOptions(flags, &f.Options)
	flags.StringVar(&f.InfraID, "infra-id", "", "infraID of a cluster whose HostedCluster is gone, to find what is "+
		"left of it")
	bindIgnoreNotFound(flags, &f.ignoreAbsent)
	flags.BoolVar(&wait, "wait", wait, "wait until nothing is left; with --wait=false, what the operator leaves "+
		"behind stays until the command is run again")
	flags.BoolVar(&f.DryRun, "dry-run", false, "say what would be removed, and change nothing; "+
		cmdutil.DryRunExits)
	cmdutil.RunOutputFlag(cmd, &f.Output)
	cmdutil.TimeoutFlag(flags, &f.Timeout, 30*time.Minute, "time limit for the whole command; of several "+
		"hosted clusters for each")
	flags.BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before deleting")
	return cmd
}

// bindDeleteOptions adds the flags that delete cluster and delete clusters share.
func bindDeleteOptions(flags *pflag.FlagSet, f *deletion.Options) {
	flags.BoolVar(&f.DestroyCloudResources, "destroy-cloud-resources", f.DestroyCloudResources,
		"let the hosted cluster's operators remove its own load balancers and volumes first")
	flags.DurationVar(&f.GracePeriod, "cluster-grace-period", f.GracePeriod,
		"how long that may take before the operator continues without it; 0 for as long as it takes")
	flags.BoolVar(&f.KeepNamespace, "keep-namespace", false, "keep the namespace even if hcctl made it and it is empty")
	flags.BoolVar(&f.KeepSecrets, "keep-secrets", false, "keep the Secrets and ConfigMaps made for the cluster, such as "+
		"its pull secret and etcd's encryption key, and so the namespace")
	flags.BoolVar(&f.KeepManagedCluster, "keep-managed-cluster", false, "do not detach the ManagedCluster")
}

// validate returns an error for flags that exclude each other. one is set if the command line names exactly one
// hosted cluster.
func (f *deleteFlags) validate(one, wait bool) error {
	switch {
	case !one && f.InfraID != "":
		return errors.New("--infra-id: it belongs to one hosted cluster; give its name alone")
	case f.Timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 1h or 90m", f.Timeout)
	case f.GracePeriod < 0:
		return fmt.Errorf("--cluster-grace-period %s: give a time above zero, such as 10m, or 0 for as long as it takes",
			f.GracePeriod)
	case f.DryRun && !wait:
		return errors.New("--dry-run and --wait=false: give only one of them")
	case f.DryRun:
		return cmdutil.PlanFormat(f.Output)
	}
	return cmdutil.RunFormat(f.Output)
}

// carryOut deletes the hosted clusters of the command line.
func (f *deleteFlags) carryOut(ctx context.Context, a *cmdutil.Factory, run cmdutil.FleetFlags, names []string) error {
	alone, opt := f.several.One(names), f.Options
	w := each.Work{Command: "delete clusters", Kind: "FleetDeletePlan", Ask: "Delete %s, with all their data",
		Heading: "Deleting %s", Deletes: true, Strict: !f.ignoreAbsent, IgnoreAbsent: f.ignoreAbsent,
		Prepare: func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) (each.Change, error) {
			options := opt
			if options.Reads == nil && t.SharedReads != nil {
				options.Reads = t.SharedReads.Cache(ctx) // the first checks of the steps use these reads
			}
			d, err := deletion.Prepare(ctx, t.Client, one.Namespace, one.Name, options)
			switch {
			case err == nil:
				return change(ctx, a, t, d, alone, opt.NoWait), nil
			case alone || hostedcluster.IsNotFound(err) || failure.Of(err) != failure.Other:
				return each.Change{}, err
			}
			return each.Change{}, fmt.Errorf("cannot determine what exists of it: %w", err)
		},
		Ended: func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) {
			kubeconfig.ForgetKubeconfig(ctx, a, t, one.Namespace, one.Name)
		}}
	if alone {
		w.Command = "delete cluster"
		w.PrintOne = func(t *cmdutil.Target, p *cmdutil.Planned, c each.Change) error {
			return printDelete(a, t, p, f.several.Chosen[0], c.Removal, run.Output)
		}
	} else {
		w.Begin = func(ctx context.Context, t *cmdutil.Target, chosen []fleet.ClusterName) (err error) {
			var namespaces []string
			for _, one := range chosen {
				namespaces = append(namespaces, one.Namespace)
			}
			opt, err = opt.Together(ctx, t.Client, namespaces...)
			return err
		}
	}
	return each.Several(ctx, a, f.several, run, names, w)
}

// change returns the deletion of one hosted cluster. alone is set if the command line names no other.
func change(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, d *deletion.Plan,
	alone, noWait bool) each.Change {
	again := hint.Run("delete cluster", d.Name).Flag("namespace", d.Namespace).Text()
	c := each.Change{Question: question(d, t), Word: d.Name, Destroys: true, Again: again, Goes: noWait, Steps: d.Steps(),
		Heading: cmdutil.Textf("Deleting hosted cluster %s/%s on %s", d.Namespace, d.Name, t),
		Done:    fmt.Sprintf("Hosted cluster %s/%s is gone.", d.Namespace, d.Name),
		Removal: each.Removal{Creating: d.Creating, Outside: d.Outside, Lost: d.Lost, Left: d.Left},
		Exists: func() hint.Text {
			if found := cmdutil.Found(ctx, t, d.Namespace, d.Name); len(found) > 0 {
				return hint.New("Still there: %s", strings.Join(found, ", "))
			}
			return hint.Text{}
		}}
	if noWait {
		c.Done = fmt.Sprintf("Its operator deletes %s/%s now. Next: %s removes what it leaves behind.", d.Namespace, d.Name,
			a.Call.Render(again))
	}
	if len(d.Lost) > 0 {
		c.About = cmdutil.Textf("lost for good: %s", d.Lost)
	}
	if alone {
		if d.Creating {
			c.Details = append(c.Details, each.StillCreated([]string{d.Namespace + "/" + d.Name}))
		}
		if c.About != "" {
			c.Details = append(c.Details, "  "+c.About)
		}
	}
	for _, one := range d.Outside {
		c.Details = append(c.Details, cmdutil.Textf("  outside its namespaces: %s", one))
	}
	return c
}

// question asks for confirmation and names what is deleted.
func question(d *deletion.Plan, t *cmdutil.Target) cmdutil.Text {
	what := cmdutil.Textf("hosted cluster %s/%s", d.Namespace, d.Name)
	if !strings.HasPrefix(d.Found[0], "HostedCluster ") {
		what = cmdutil.Textf("what is left of hosted cluster %s/%s (%s)", d.Namespace, d.Name, d.Found)
	}
	return cmdutil.Textf("Delete %s, with all its data, on %s?", what, t.Named())
}
