package remove

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

func newDeleteNodePool(a *cmdutil.Factory) *cobra.Command {
	f, wait, ignoreAbsent := &cmdutil.ChangeFlags{}, nodepool.WaitGone, false
	cmd := &cobra.Command{
		Use:     "nodepool NAME",
		Aliases: []string{"np"},
		Short:   "Delete a node pool with its workers and wait until they are gone",
		Long: `delete nodepool deletes the NodePool; its operator drains the nodes and removes the VMs with their root
volumes. It waits until all is gone, and says what is still there. A pool whose hosted cluster is gone can be deleted
too.`,
		Example: `  hcctl delete nodepool kv-00-gpu
  hcctl delete nodepool kv-00-gpu --yes --ignore-not-found`,
		Args: cmdutil.OneName("node pool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wait.Validate(nodepool.WaitNone, nodepool.WaitGone); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.NeedsConsent("delete nodepool", f.DryRun); err != nil {
				return err
			}
			return deleteNodePool(cmd.Context(), a, args[0], wait, ignoreAbsent, f)
		},
	}
	bindIgnoreNotFound(cmd.Flags(), &ignoreAbsent)
	cmdutil.BindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitGone)
	f.Bind(cmd, a, 30*time.Minute)
	return cmd
}

func deleteNodePool(ctx context.Context, a *cmdutil.Factory, name string, wait nodepool.Wait, ignoreAbsent bool,
	f *cmdutil.ChangeFlags) error {
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a)
	d, err := nodepool.PrepareDelete(ctx, t.Client, namespace, name, wait)
	if ignoreAbsent && hostedcluster.IsNotFound(err) {
		return absentNodePool(ctx, a, t, name, f)
	}
	if err != nil {
		return err
	}
	cluster := d.Pool.Spec.ClusterName
	what := fmt.Sprintf("NodePool %s/%s (%s) of hosted cluster %s", namespace, name,
		plural.Count(int(d.Pool.Status.Replicas), "node"), cluster)
	c := cmdutil.Change{
		Command: "delete nodepool", Kind: "DeleteNodePoolPlan",
		Destroys: true,
		Question: cmdutil.Textf("Delete %s, with the nodes' root volumes, on %s?", what, t.Named()),
		Heading:  cmdutil.Textf("Deleting %s on %s", what, t),
		Done:     fmt.Sprintf("NodePool %s/%s is deleted.", namespace, name),
		Steps: func(dry *cmdutil.Target) ([]step.Step, error) {
			if dry == t {
				return d.Steps(), nil
			}
			planned, err := nodepool.PrepareDelete(ctx, dry.Client, namespace, name, wait)
			if err != nil {
				return nil, err
			}
			return planned.Steps(), nil
		},
	}
	if d.Last {
		last := fmt.Sprintf("it is the last node pool of hosted cluster %s, which has no workers then: its console and "+
			"ingress end, and no pod can run", cluster)
		c.Notes = append(c.Notes, last)
		c.Details = []cmdutil.Text{cmdutil.Textf("NodePool %s: %s.", name, last)}
	}
	return a.CarryOut(ctx, t, f, c)
}
