package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

func newStop(a *app) *cobra.Command {
	cmd := noun("stop", "Stop a hosted cluster's workers", newPowerCommand(a, powerCommand{
		verb: "stop", doing: "Stopping", prepare: nodepool.PrepareStop,
		short: "Take all workers of a hosted cluster away until it is started again",
		long: `stop cluster gives every node pool of a hosted cluster the size zero and waits until VMs and nodes are gone. The size
each pool had, autoscaling included, is remembered on it as the annotation ` + nodepool.StoppedAnnotation + `; hcctl start cluster
gives it back. The control plane keeps running; volumes stay, but what runs on the workers ends, and their root volumes go.

It can be interrupted and run again at any time: a pool forgets its size at no point.`,
	}))
	cmd.GroupID = "hosted"
	return cmd
}

func newStart(a *app) *cobra.Command {
	cmd := noun("start", "Start a hosted cluster's workers again", newPowerCommand(a, powerCommand{
		verb: "start", doing: "Starting", prepare: nodepool.PrepareStart,
		short: "Give a stopped hosted cluster its workers back",
		long: `start cluster gives every node pool that was stopped (hcctl stop cluster) the size it had before, autoscaling included,
and waits until the VMs are ready and the nodes have joined. A pool that was given a size since keeps that one.`,
	}))
	cmd.GroupID = "hosted"
	return cmd
}

// powerCommand is what stop and start have of their own.
type powerCommand struct {
	verb, doing, short, long string
	prepare                  func(context.Context, *kube.Client, string, string, nodepool.Wait) (*nodepool.Power, error)
}

func newPowerCommand(a *app, p powerCommand) *cobra.Command {
	f, wait := &changeFlags{}, nodepool.WaitNodes
	cmd := &cobra.Command{
		Use: "cluster NAME", Short: p.short, Long: p.long,
		Example: fmt.Sprintf("  hcctl %s cluster kv-00", p.verb),
		Args:    oneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wait.Validate(nodepool.WaitNone, nodepool.WaitNodes); err != nil {
				return misuse(cmd, err)
			}
			if err := f.validate(); err != nil {
				return misuse(cmd, err)
			}
			return runPower(cmd.Context(), a, p, args[0], wait, f)
		},
	}
	bindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitNodes)
	f.bind(cmd, a, 30*time.Minute)
	return cmd
}

func runPower(ctx context.Context, a *app, p powerCommand, name string, wait nodepool.Wait, f *changeFlags) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	namespace := clustersNamespace(a)
	w, err := p.prepare(ctx, t.Client, namespace, name, wait)
	if err != nil {
		return err
	}
	c := change{
		command: p.verb + " cluster", kind: map[string]string{"stop": "StopPlan", "start": "StartPlan"}[p.verb],
		heading: textf("%s the workers of hosted cluster %s/%s on %s", p.doing, namespace, name, t),
		notes:   w.Notes,
		steps: func(dry *target) ([]step.Step, error) {
			if dry == t {
				return w.Steps(), nil
			}
			planned, err := p.prepare(ctx, dry.Client, namespace, name, wait)
			if err != nil {
				return nil, err
			}
			return planned.Steps(), nil
		},
	}
	c.question = textf("%s the workers of hosted cluster %s/%s on %s?", upperFirst(p.verb), namespace, name, t.named())
	for _, pool := range w.Pools {
		if pool.From != pool.To {
			c.heading = lines(c.heading, textf("  NodePool %s: from %s to %s nodes", pool.Name, pool.From, pool.To))
		}
	}
	switch {
	case w.Changes == 0 && w.Stop:
		c.notes = append(c.notes, "no node pool has workers: there is nothing to stop")
	case w.Changes == 0:
		c.notes = append(c.notes, fmt.Sprintf("hosted cluster %s is not stopped: there is nothing to start", name))
	case w.Stop:
		c.done = fmt.Sprintf("The workers of hosted cluster %s/%s are stopped.", namespace, name)
		c.next = fmt.Sprintf("hcctl start cluster %s%s", name, namespaceFlag(a))
	default:
		c.done = fmt.Sprintf("The workers of hosted cluster %s/%s are started.", namespace, name)
	}
	return a.carryOut(ctx, t, f, c)
}
