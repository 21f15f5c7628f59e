package delete

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
)

func newDeleteNodePool(a *cmdutil.Factory) *cobra.Command {
	f, wait, ignoreAbsent := &cmdutil.ChangeFlags{}, nodepool.WaitGone, false
	several := &each.Flags{Pools: true, Deletes: true}
	cmd := &cobra.Command{
		Use:     each.UsePools,
		Aliases: []string{"np"},
		Short:   "Delete node pools with their workers and wait until they are gone",
		Long: `delete nodepool deletes the NodePool; its operator drains the nodes and removes the VMs with their root
volumes. It waits until all is gone, and says what is still there. A pool whose hosted cluster is gone can be deleted
too. Several pools are deleted --parallel at a time, after one question that is answered with their number; if one of
those that are named does not exist, nothing is deleted, except with --ignore-not-found.`,
		Example: `  hcctl delete nodepool kv-00-gpu
  hcctl delete nodepool kv-00-gpu kv-01-gpu
  hcctl delete nodepool -l tier=web --dry-run
  hcctl delete nodepool kv-00-gpu --yes --ignore-not-found`,
		Args: several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wait.Validate(nodepool.WaitNone, nodepool.WaitGone); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.Prompter.NeedsConsent("delete nodepool", f.DryRun); err != nil {
				return err
			}
			return deleteNodePools(cmd.Context(), a, several, args, wait, ignoreAbsent, f)
		},
	}
	several.Bind(cmd)
	bindIgnoreNotFound(cmd.Flags(), &ignoreAbsent)
	cmdutil.BindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitGone)
	f.Bind(cmd, a, 30*time.Minute)
	return cmd
}

// deleteNodePools deletes the node pools of the command line.
func deleteNodePools(ctx context.Context, a *cmdutil.Factory, several *each.Flags, names []string, wait nodepool.Wait,
	ignoreAbsent bool, f *cmdutil.ChangeFlags) error {
	return each.CarryOut(ctx, a, several, f, names, each.Work{Command: "delete nodepool", Kind: "DeleteNodePoolPlan",
		Ask: "Delete %s, with their nodes' root volumes", Heading: "Deleting %s", Strict: true,
		Prepare: func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) (each.Change, error) {
			c, err := deleteNodePool(ctx, t, several, one, wait)
			if ignoreAbsent && hostedcluster.IsNotFound(err) {
				return absentNodePool(a, one), nil
			}
			return c, err
		}})
}

// deleteNodePool returns the deletion of one node pool.
func deleteNodePool(ctx context.Context, t *cmdutil.Target, several *each.Flags, one fleet.ClusterName,
	wait nodepool.Wait) (each.Change, error) {
	namespace, name := one.Namespace, one.Name
	d, err := nodepool.PrepareDelete(ctx, t.Client, namespace, name, wait)
	if err != nil {
		return each.Change{}, err
	}
	cluster := d.Pool.Spec.ClusterName
	what := fmt.Sprintf("NodePool %s/%s (%s) of hosted cluster %s", namespace, name,
		plural.Count(int(d.Pool.Status.Replicas), "node"), cluster)
	c := each.Change{
		Destroys: true,
		About:    cmdutil.Textf("%s of hosted cluster %s", plural.Count(int(d.Pool.Status.Replicas), "node"), cluster),
		Question: cmdutil.Textf("Delete %s, with the nodes' root volumes, on %s?", what, t.Named()),
		Heading:  cmdutil.Textf("Deleting %s on %s", what, t),
		Done:     fmt.Sprintf("NodePool %s/%s is deleted.", namespace, name),
		Steps:    d.Steps(),
	}
	last, err := lastOf(ctx, t, several, d)
	if err != nil {
		return each.Change{}, err
	}
	if last {
		last := fmt.Sprintf("it leaves hosted cluster %s without node pools, and so without workers: its console and "+
			"ingress end, and no pod can run", cluster)
		c.Notes = append(c.Notes, last)
		c.Details = []cmdutil.Text{cmdutil.Textf("NodePool %s: %s.", name, last)}
	}
	return c, nil
}

// lastOf reports whether the hosted cluster of a pool has no other pool that stays.
func lastOf(ctx context.Context, t *cmdutil.Target, several *each.Flags, d *nodepool.Deletion) (bool, error) {
	if d.Last {
		return true, nil
	}
	pools, err := hostedcluster.Pools(ctx, t.Client, d.Pool.Namespace, d.Pool.Spec.ClusterName)
	for i := range pools {
		if pools[i].Name != d.Pool.Name && !slices.Contains(several.Chosen, fleet.ClusterName{Namespace: pools[i].Namespace,
			Name: pools[i].Name}) {
			return false, err
		}
	}
	return err == nil, err
}
