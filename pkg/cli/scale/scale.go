// Package scale implements hcctl scale.
package scale

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
)

// New returns the command scale.
func New(a *cmdutil.Factory) *cobra.Command {
	var replicas, minReplicas, maxReplicas int32
	f, wait, several := &cmdutil.ChangeFlags{}, nodepool.WaitNodes, &each.Flags{Pools: true}
	cmd := &cobra.Command{
		Use: "scale " + each.Names, GroupID: "hosted",
		Short: "Change the number of workers of a node pool, or turn on autoscaling",
		Long: `scale writes the pool's size and waits until as many VMs are ready and as many nodes have joined. A
fixed number (--replicas) turns autoscaling off, and --min-replicas with --max-replicas turn it on. Nothing else of
the pool is touched. Running the same command again changes nothing and continues to wait.

It refuses a change that would have no effect: the pool or its cluster is paused, or its workers are stopped
(hcctl stop).`,
		Example: `  hcctl scale kv-00 --replicas 3
  hcctl scale kv-00 kv-01 --replicas 3
  hcctl scale -l tier=web -A --replicas 2
  hcctl scale kv-00 --min-replicas 2 --max-replicas 6 --wait none`,
		Args: several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			size, err := nodepool.ParseSize(cmdutil.Given(cmd, "replicas", replicas),
				cmdutil.Given(cmd, "min-replicas", minReplicas), cmdutil.Given(cmd, "max-replicas", maxReplicas))
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := wait.Validate(nodepool.WaitNone, nodepool.WaitNodes); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return each.CarryOut(cmd.Context(), a, several, f, args, each.Work{Command: "scale", Kind: "ScalePlan",
				Ask: "Scale %s to " + size.Nodes(), Heading: "Scaling %s to " + size.Nodes(),
				Prepare: func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) (each.Change, error) {
					return scaleNodePool(ctx, t, one, size, wait)
				}})
		},
	}
	cmd.Flags().Int32Var(&replicas, "replicas", 0, "number of worker VMs")
	cmd.Flags().Int32Var(&minReplicas, "min-replicas", 0,
		"with --max-replicas: the minimum number of worker VMs that the "+
			"autoscaler keeps, at least 1")
	cmd.Flags().Int32Var(&maxReplicas, "max-replicas", 0,
		"with --min-replicas: the maximum number of worker VMs that the "+
			"autoscaler creates")
	several.Bind(cmd)
	cmdutil.BindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitNodes)
	f.Bind(cmd, a, 30*time.Minute)
	return cmdutil.OptionalNoun(cmd, cmdutil.NodePoolNouns...)
}

// scaleNodePool returns the change of one node pool's size.
func scaleNodePool(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName, size hostedcluster.Size,
	wait nodepool.Wait) (each.Change, error) {
	namespace, name := one.Namespace, one.Name
	s, err := nodepool.PrepareScale(ctx, t.Client, namespace, name, size, wait)
	if err != nil {
		return each.Change{}, err
	}
	what := fmt.Sprintf("NodePool %s/%s of hosted cluster %s from %s to %s", namespace, name,
		s.Pool.Spec.ClusterName, s.From, s.To.Nodes())
	c := each.Change{
		Question: cmdutil.Textf("Scale %s on %s?", what, t.Named()),
		About:    cmdutil.Textf("of hosted cluster %s, from %s to %s", s.Pool.Spec.ClusterName, s.From, s.To.Nodes()),
		Heading:  cmdutil.Textf("Scaling %s on %s", what, t),
		Done:     fmt.Sprintf("NodePool %s/%s is set to %s.", namespace, name, s.To.Nodes()),
		Steps:    s.Steps(),
		Notes:    s.Notes,
	}
	if size == (hostedcluster.Size{}) {
		c.Destroys = true
		c.Details = append(c.Details, "  lost for good: the workers' root volumes, and what runs on them ends")
		c.Notes = append(c.Notes, fmt.Sprintf("without workers what runs in the hosted cluster ends, its console and "+
			"ingress too; hcctl stop %s remembers the sizes of all pools", s.Pool.Spec.ClusterName))
	}
	return c, nil
}
