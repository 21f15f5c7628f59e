// Package stop implements hcctl stop, and the shared part of hcctl start.
package stop

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command stop.
func New(a *cmdutil.Factory) *cobra.Command {
	return NewPower(a, Power{
		Verb: "stop", Doing: "Stopping", Kind: "StopPlan", Ask: "Stop %s, with their workers' root volumes lost",
		Prepare: nodepool.PrepareStop, OnSite: hub.Stop,
		Short: "Scale a hosted cluster to zero workers until it is started again",
		Long: `stop sets every node pool of a hosted cluster to zero nodes and waits until VMs and nodes are gone.
Each pool keeps its former size, autoscaling included, in the annotation ` + hostedcluster.StoppedAnnotation + `;
hcctl start restores it. The control plane keeps running. Volumes stay, but pods on the workers end, and the
workers' root volumes are deleted.

You can interrupt the command and run it again at any time: no size is lost.`,
	})
}

// Power describes the differences between stop and start.
type Power struct {
	Verb, Doing, Short, Long string
	// Kind is the kind of the plan document. Ask begins the question about several clusters.
	Kind, Ask string
	Prepare   func(context.Context, *kube.Client, string, string, nodepool.Wait) (*nodepool.Power, error)
	// OnSite returns the steps for a cluster of a hub.
	OnSite func(c *kube.Client, one *hub.Cluster, wait bool) []step.Step
}

// NewPower returns the command that stops or starts the workers of clusters.
func NewPower(a *cmdutil.Factory, p Power) *cobra.Command {
	f, wait, several, through := &cmdutil.ChangeFlags{}, nodepool.WaitNodes, each.Flags{}, false
	cmd := &cobra.Command{
		Use: p.Verb + " " + each.Names, GroupID: "hosted", Short: p.Short, Long: p.Long,
		Example: fmt.Sprintf("  hcctl %s kv-00\n  hcctl %s -l fleet=lab --parallel 3", p.Verb, p.Verb),
		Args:    several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wait.Validate(nodepool.WaitNone, nodepool.WaitNodes); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.Prompter.NeedsConsent("stop", f.DryRun || p.Verb != "stop"); err != nil {
				return err
			}
			if through {
				return hubrun.Change{Choice: hubrun.Choice{Names: args, Selector: several.Selector, All: several.All},
					Command: p.Verb,
					Kind:    p.Kind, Ask: p.Ask, Heading: p.Doing + " the workers of %s", Destroys: p.Verb == "stop",
					Run: f.Fleet(several.Parallel), Steps: func(c *kube.Client, one *hub.Cluster) ([]step.Step, error) {
						return p.OnSite(c, one, wait == nodepool.WaitNodes), nil
					}}.Carry(cmd.Context(), a)
			}
			return each.CarryOut(cmd.Context(), a, &several, f, args, each.Work{
				Command: p.Verb, Kind: p.Kind, Ask: p.Ask, Heading: p.Doing + " the workers of %s",
				Next: p.next(each.Words(a.Call, &several, args)),
				Prepare: func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) (each.Change, error) {
					return powerChange(ctx, t, p, one.Namespace, one.Name, wait)
				},
			})
		},
	}
	cmdutil.BindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitNodes)
	several.Bind(cmd)
	hubrun.Bind(cmd, &through)
	f.Bind(cmd, a, 30*time.Minute)
	return cmdutil.OptionalNoun(cmd, cmdutil.ClusterNouns...)
}

// next returns the command that undoes a stop.
func (p Power) next(clusters hint.Args) hint.Text {
	if p.Verb == "stop" {
		return hint.Run("start", clusters).Text()
	}
	return hint.Text{}
}

// powerChange returns the change that stops or starts the workers of one cluster.
func powerChange(ctx context.Context, t *cmdutil.Target, p Power, namespace, name string,
	wait nodepool.Wait) (each.Change, error) {
	w, err := p.Prepare(ctx, t.Client, namespace, name, wait)
	if err != nil {
		return each.Change{}, err
	}
	c := each.Change{
		Heading: cmdutil.Textf("%s the workers of hosted cluster %s/%s on %s", p.Doing, namespace, name, t),
		Notes:   w.Notes,
		Steps:   w.Steps(),
	}
	c.Question = cmdutil.Textf("Start the workers of hosted cluster %s/%s on %s?", namespace, name, t.Named())
	for _, pool := range w.Pools {
		if pool.From != pool.To {
			line := cmdutil.Textf("  NodePool %s: from %s to %s nodes", pool.Name, pool.From, pool.To)
			c.Heading = cmdutil.Lines(c.Heading, line)
			c.Details = append(c.Details, line)
		}
	}
	if w.Stop {
		c.Destroys = true
		c.Question = cmdutil.Textf("Stop hosted cluster %s/%s, with its workers' root volumes lost, on %s?", namespace, name,
			t.Named())
	}
	switch {
	case w.Changes == 0 && w.Stop:
		c.Notes = append(c.Notes, "no node pool has workers: there is nothing to stop")
	case w.Changes == 0:
		c.Notes = append(c.Notes, fmt.Sprintf("hosted cluster %s is not stopped: there is nothing to start", name))
	case w.Stop:
		c.Done = fmt.Sprintf("The workers of hosted cluster %s/%s are stopped.", namespace, name)
		c.Next = p.next(hostedcluster.Argument(namespace, name))
	default:
		c.Done = fmt.Sprintf("The workers of hosted cluster %s/%s are started.", namespace, name)
	}
	return c, nil
}
