package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

func newDeleteNodePool(a *app) *cobra.Command {
	f, wait := &changeFlags{}, nodepool.WaitGone
	cmd := &cobra.Command{
		Use:     "nodepool NAME",
		Aliases: []string{"np"},
		Short:   "Delete a node pool with its workers and wait until they are gone",
		Long: `delete nodepool deletes the NodePool; its operator drains the nodes and removes the VMs with their root volumes. It
waits until all is gone, and says what is still there. A pool whose hosted cluster is gone can be deleted as well.`,
		Example: "  hcctl delete nodepool kv-00-gpu",
		Args:    oneName("node pool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wait.Validate(nodepool.WaitNone, nodepool.WaitGone); err != nil {
				return misuse(cmd, err)
			}
			if err := f.validate(); err != nil {
				return misuse(cmd, err)
			}
			return deleteNodePool(cmd.Context(), a, args[0], wait, f)
		},
	}
	bindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitGone)
	f.bind(cmd, a, 30*time.Minute)
	return cmd
}

func deleteNodePool(ctx context.Context, a *app, name string, wait nodepool.Wait, f *changeFlags) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	namespace := clustersNamespace(a)
	d, err := nodepool.PrepareDelete(ctx, t.Client, namespace, name, wait)
	if err != nil {
		return err
	}
	cluster := d.Pool.Spec.ClusterName
	what := fmt.Sprintf("NodePool %s/%s (%d nodes) of hosted cluster %s", namespace, name, d.Pool.Status.Replicas, cluster)
	c := change{
		command: "delete nodepool", kind: "DeleteNodePoolPlan",
		question: textf("Delete %s on %s?", what, t.named()),
		heading:  textf("Deleting %s on %s", what, t),
		done:     fmt.Sprintf("NodePool %s/%s is deleted.", namespace, name),
		steps: func(dry *target) ([]step.Step, error) {
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
		last := fmt.Sprintf("it is the last node pool of hosted cluster %s, which has no workers then: its console and ingress end, and no pod can run", cluster)
		c.notes = append(c.notes, last)
		c.question = textf("NodePool %s: %s.\n%s", name, last, c.question)
	}
	return a.carryOut(ctx, t, f, c)
}
