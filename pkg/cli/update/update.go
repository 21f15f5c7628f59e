// Package update implements hcctl update cluster and update nodepool.
package update

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// New returns the command update.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("update", "Change the settings of a hosted cluster or a node pool", newUpdateCluster(a),
		newUpdateNodePool(a))
	cmd.GroupID = "hosted"
	return cmd
}

func newUpdateNodePool(a *cmdutil.Factory) *cobra.Command {
	// Options have no defaults, because settings that are not given stay unchanged.
	o, f, wait := options.NodePool{}, &cmdutil.ChangeFlags{}, nodepool.WaitNodes
	var remove []string
	cmd := &cobra.Command{
		Use:     "nodepool NAME",
		Aliases: []string{"np"},
		Short:   "Change the settings of a node pool; it warns before a change that replaces VMs",
		Long: `update nodepool changes those settings of a pool that are given, and nothing else. A change of the VMs
themselves (memory, cores, root volume, networks, devices, where they run) makes HyperShift replace every VM of the
pool, one after the other: the command says so, with the fields and the number of VMs, before it asks. Node labels,
taints and timeouts replace nothing. It waits until its VMs and nodes are ready.

Node labels are added to the existing ones; all other settings replace the current value. To change the number of
workers use hcctl scale, to change the release hcctl upgrade nodepool; a pool's architecture and upgrade
type cannot be changed.`,
		Example: `  hcctl update nodepool kv-00 --memory 16Gi --cores 4
  hcctl update nodepool kv-00 --node-labels tier=web --remove-node-labels room --yes
  hcctl update nodepool kv-00 --root-volume-size 64 --dry-run`,
		Args: cmdutil.OneName("node pool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			fields := cmdutil.GivenFields(nodepool.UpdateFields(), cmd.Flags(), cmdutil.AsGiven)
			if len(fields) == 0 && len(remove) == 0 {
				return cmdutil.Misuse(cmd, errors.New("what is to be changed? Give at least one setting, such as --memory 16Gi"))
			}
			if err := a.Files.ReadFields(fields, &o, nil); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := errors.Join(wait.Validate(nodepool.WaitNone, nodepool.WaitNodes), f.Validate()); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			err := updateNodePool(cmd.Context(), a, args[0], fields, o, remove, wait, f)
			if cmdutil.ExitCode(err) == cmdutil.ExitUsage {
				return cmdutil.Misuse(cmd, err)
			}
			return err
		},
	}
	cmdutil.BindFields(cmd.Flags(), nodepool.UpdateFields(), &o, cmdutil.AsGiven)
	cmdutil.CompleteFields(cmd, nodepool.UpdateFields(), cmdutil.AsGiven)
	cmd.Flags().StringSliceVar(&remove, "remove-node-labels", nil, "node labels to remove, by their names")
	cmdutil.BindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitNodes)
	f.Bind(cmd, a, 3*time.Hour)
	return cmd
}

func updateNodePool(ctx context.Context, a *cmdutil.Factory, name string, fields []options.Field, o options.NodePool,
	remove []string, wait nodepool.Wait, f *cmdutil.ChangeFlags) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	overlay := func(onto *options.NodePool) { option.Overlay(fields, &o, onto) }
	return each.Only(ctx, a, t, f, each.Work{Command: "update nodepool", Kind: "UpdateNodePoolPlan",
		Prepare: func(ctx context.Context, t *cmdutil.Target, _ fleet.ClusterName) (each.Change, error) {
			u, err := nodepool.PrepareUpdate(ctx, t.Client, namespace, name, fields, overlay, remove, wait)
			if err != nil {
				return each.Change{}, err
			}
			return poolChange(t, u, namespace, name), nil
		}})
}

// poolChange returns the change that updates a node pool.
func poolChange(t *cmdutil.Target, u *nodepool.Update, namespace, name string) each.Change {
	what := fmt.Sprintf("NodePool %s/%s of hosted cluster %s", namespace, name, u.Pool.Spec.ClusterName)
	c := each.Change{
		Notes:   u.Notes,
		Heading: cmdutil.Textf("Updating %s on %s", what, t),
		Done:    fmt.Sprintf("%s has the requested settings.", what),
		Steps:   u.Steps(),
	}
	for _, ch := range u.Changes {
		c.Heading = cmdutil.Lines(c.Heading, cmdutil.Textf("  %s", ch))
		c.Details = append(c.Details, cmdutil.Textf("  %s", ch))
	}
	c.Details = append(c.Details, cmdutil.Notes(u.Notes)...)
	c.Question = cmdutil.Textf("Update %s on %s?", what, t.Named())
	if recreating := u.Recreates(); len(recreating) > 0 {
		warning := fmt.Sprintf("all %d VMs of the pool are replaced, one after the other, because of", u.Pool.Status.Replicas)
		if u.Pool.Status.Replicas == 1 {
			warning = "the pool's VM is replaced because of"
		}
		for i, ch := range recreating {
			if i > 0 {
				warning += ","
			}
			warning += " " + ch.Path
		}
		c.Notes = append(c.Notes, warning)
		c.Details = append(c.Details, cmdutil.Textf("%s.", cmdutil.UpperFirst(warning)))
		c.Question = cmdutil.Textf("Update %s and replace its %s on %s?", what,
			plural.Count(int(u.Pool.Status.Replicas), "VM"), t.Named())
		c.Destroys = true
	}
	if len(u.Changes) == 0 {
		c.Notes = append(c.Notes, "the pool has these settings already: nothing is changed")
	}
	return c
}
