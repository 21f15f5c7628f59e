// Package apply implements hcctl apply.
package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/create"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/cli/internal/probing"
	"github.com/hcctl/hcctl/pkg/cli/internal/rendering"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command apply.
func New(a *cmdutil.Factory) *cobra.Command {
	var f cmdutil.FleetFlags
	var probes probing.Flags
	var through hubrun.ApplyFlags
	wait, stable, render, exact := options.WaitComplete, options.Defaults().StableFor, "", false
	cmd := &cobra.Command{
		Use:     "apply -f FILE",
		GroupID: "hosted",
		Short:   "Create the hosted clusters that files describe, one or a hundred",
		Long: `apply creates each cluster that the files describe (documents of kind Cluster and Fleet) and that does not
exist yet, and waits for each as far as --wait says, several at a time. A cluster that fails does not stop the
others. At the end a table shows the result of each; the exit code is that of the worst.

Existing clusters are not changed, with these exceptions: missing node pools are created, and where a document gives
the number of nodes (replicas, or minReplicas and maxReplicas), nodeLabels or taints of a pool, that is set; none of
this recreates a VM. Stopped pools keep their size. Other differences are reported, and those in fields that cannot
be changed are an error of that cluster alone.

--env chooses an environment of files that have some, such as dev and prod. A cluster that exists with the label of
another environment, or with none, is an error of that cluster: its environment is not changed.

Before anything is written, apply checks whether the management cluster has room for all new clusters together;
--skip-preflight leaves checks out. After an interruption, run the same command again to continue. --dry-run shows
for each cluster what would be created or changed. --render writes manifests instead, without Secrets: a kustomize base
with what all environments share, and an overlay for each with what differs.

--hub delivers the clusters to many management clusters through the hub of Open Cluster Management that the kubeconfig
reaches. A cluster that has no management cluster yet gets one of those that the Placement of --placement has chosen,
the one with the most room, and keeps it. Secrets have to be on the management cluster, unless --copy-secrets brings
them. --move-from SITE creates the clusters of a management cluster that is lost anew, empty, on others.`,
		Example: `  hcctl apply -f fleet.yaml
  hcctl apply -f fleet.yaml --dry-run
  hcctl apply -f fleet.yaml --env dev
  hcctl apply -f fleet.yaml --render manifests/
  hcctl apply -f fleet.yaml --hub --placement fleets/hosting
  hcctl apply -f clusters/ --parallel 20 --wait nodes --yes
  hcctl apply -f fleet.yaml --wait none --yes -o json > events.jsonl`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(f.Validate(), probes.Validate(cmd), through.Validate(cmd)); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if probes.Asked() && f.DryRun {
				return cmdutil.Misuse(cmd, errors.New("--probe tries out the cluster before something is created: not with "+
					"--dry-run; hcctl check --probe does it alone"))
			}
			if exact && (through.On || cmd.Flags().Changed("render")) {
				return cmdutil.Misuse(cmd, errors.New("--exact compares with what exists on this management cluster: not with "+
					"--hub or --render"))
			}
			if cmd.Flags().Changed("render") {
				if err := checkRender(f, probes.Asked()); err != nil {
					return cmdutil.Misuse(cmd, err)
				}
				return renderFleet(a, cmd, f, render)
			}
			if err := cmdutil.CheckStableFor(cmd.Flags(), stable, "--wait healthy", wait == options.WaitHealthy); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if through.On && wait == options.WaitHealthy {
				return cmdutil.Misuse(cmd, errors.New("--wait healthy: not with --hub, which knows no more than what sites "+
					"report; use complete"))
			}
			clusters, err := a.Files.WantedClusters(f.Files, f.Env)
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			for _, c := range clusters {
				if c.Options.Wait, c.Options.StableFor = wait, stable; through.On {
					rendering.FixInfraID(c)
				}
			}
			valid, err := cmdutil.ReadClusters(a.Files, clusters)
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			wanted := make([]fleet.DesiredCluster, len(clusters))
			for i, c := range clusters {
				wanted[i] = fleet.DesiredCluster{Options: valid[i], Environment: f.Env, Adjust: Adjusts(c)}
			}
			if through.On {
				return hubrun.Apply(cmd.Context(), a, &through, f, wanted, wait)
			}
			return applyClusters(cmd.Context(), a, wanted, f, &probes, exact)
		},
	}
	f.Bind(cmd, "apply", "created or changed, as a diff")
	a.Files.BindAllowed(cmd.Flags())
	probes.Bind(cmd)
	through.Bind(cmd)
	cmd.Flags().StringVar((*string)(&wait), "wait", string(wait), "what to wait for: "+options.WaitNames())
	cmdutil.StableForFlag(cmd.Flags(), &stable, "--wait healthy")
	cmdutil.ExactFlag(cmd.Flags(), &exact)
	cmd.Flags().StringSliceVar(&f.SkipPreflight, "skip-preflight", nil,
		"checks to leave out before the clusters are created, by ID or group, or all, which also skips the check of "+
			"names and the dry runs (repeatable)")
	cmd.Flags().BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before changing the cluster")
	cmd.Flags().StringVar(&render, "render", "", "write manifests into this directory, as a kustomize base with an "+
		"overlay for each environment, and change nothing; contacts no server")
	_ = cmd.MarkFlagDirname("render")
	cmdutil.CompleteWaits(cmd)
	return cmd
}

func applyClusters(ctx context.Context, a *cmdutil.Factory, wanted []fleet.DesiredCluster, f cmdutil.FleetFlags,
	probes *probing.Flags, exact bool) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(wanted))
	for i, w := range wanted {
		names[i] = w.Options.Namespace + "/" + w.Options.Name
	}
	prepare := fleet.PrepareOptions{Parallel: f.ParallelReads(), SkipPreflight: f.SkipPreflight, Exact: exact,
		Engine: step.Options{Transient: kube.IsTransient, Explain: kube.Explain}}
	if f.DryRun {
		return Plan(ctx, a, t, wanted, prepare, f)
	}
	apply, err := fleet.PrepareApply(ctx, t.Client, wanted, prepare)
	if err != nil {
		return err
	}
	nameFlags(apply)
	warnMembers(a, apply)
	if err := FleetPreflight(ctx, a, t, apply, f.SkipPreflight); err != nil {
		return err
	}
	if err := probes.Before(ctx, a, t, newPlans(apply)); err != nil {
		return err
	}
	if err := a.Prompter.Confirm(ctx, cmdutil.Textf("Create or complete %s (%s) on %s?",
		plural.Count(len(names), "hosted cluster"), cmdutil.Few(names),
		t.Named())); err != nil {
		return err
	}
	heading := cmdutil.Textf("Applying %s to %s", plural.Count(len(names), "hosted cluster"), t)
	_, err = a.Runner.RunFleet(ctx, t, apply.Steps(), cmdutil.FleetRun{FleetFlags: f, Heading: heading, Command: "apply",
		Resume: hint.New("what exists stays: the same command continues from there")})
	return err
}

// warnMembers warns, cluster by cluster, about existing settings that differ and stay unchanged.
func warnMembers(a *cmdutil.Factory, apply *fleet.Apply) {
	for _, m := range apply.Members {
		create.WarnLeftAlone(a, m.LeftAlone)
	}
}

// nameFlags adds the flags to the option errors of single clusters.
func nameFlags(apply *fleet.Apply) {
	for _, m := range apply.Members {
		_ = cmdutil.NameFlags(m.Err)
	}
}

// Adjusts returns which settings of existing pools apply changes: those that the document gives.
func Adjusts(c *config.Cluster) map[int]creation.Adjust {
	out := map[int]creation.Adjust{}
	for i := range c.Options.NodePools {
		given := func(fields ...string) bool {
			for _, field := range fields {
				if c.Says(fmt.Sprintf("spec.nodePools[%d].%s", i, field)) {
					return true
				}
			}
			return false
		}
		adjust := creation.Adjust{Size: given("replicas", "minReplicas", "maxReplicas"), NodeLabels: given("nodeLabels"),
			Taints: given("taints")}
		_, labelled := c.Options.NodePools[i].NodeLabels[hostedcluster.EnvironmentLabel]
		if labelled && !adjust.NodeLabels {
			adjust.NodeLabel = hostedcluster.EnvironmentLabel // the label of the Fleet's environment, set by config.labelNodes
		}
		out[i] = adjust
	}
	return out
}
