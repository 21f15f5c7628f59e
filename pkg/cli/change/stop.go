package change

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

// NewStop returns the command stop.
func NewStop(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("stop", "Stop a hosted cluster's workers", newPowerCommand(a, powerCommand{
		verb: "stop", doing: "Stopping", prepare: nodepool.PrepareStop,
		short: "Scale a hosted cluster to zero workers until it is started again",
		long: `stop cluster sets every node pool of a hosted cluster to zero nodes and waits until VMs and nodes are gone.
Each pool keeps its former size, autoscaling included, in the annotation ` + nodepool.StoppedAnnotation + `;
hcctl start cluster restores it. The control plane keeps running. Volumes stay, but pods on the workers end, and the
workers' root volumes are deleted.

You can interrupt the command and run it again at any time: no size is lost.`,
	}))
	cmd.GroupID = "hosted"
	return cmd
}

// NewStart returns the command start.
func NewStart(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("start", "Start a hosted cluster's workers again", newPowerCommand(a, powerCommand{
		verb: "start", doing: "Starting", prepare: nodepool.PrepareStart,
		short: "Give a stopped hosted cluster its workers again",
		long: `start cluster gives every stopped node pool (hcctl stop cluster) its former size, autoscaling included, and
waits until the VMs are ready and the nodes have joined. A pool that has been resized since then keeps its new size.`,
	}))
	cmd.GroupID = "hosted"
	return cmd
}

// powerCommand has the differences between stop and start.
type powerCommand struct {
	verb, doing, short, long string
	prepare                  func(context.Context, *kube.Client, string, string, nodepool.Wait) (*nodepool.Power, error)
}

func newPowerCommand(a *cmdutil.Factory, p powerCommand) *cobra.Command {
	f, wait := &cmdutil.ChangeFlags{}, nodepool.WaitNodes
	cmd := &cobra.Command{
		Use: "cluster NAME", Short: p.short, Long: p.long,
		Example: fmt.Sprintf("  hcctl %s cluster kv-00", p.verb),
		Args:    cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wait.Validate(nodepool.WaitNone, nodepool.WaitNodes); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.NeedsConsent("stop cluster", f.DryRun || p.verb != "stop"); err != nil {
				return err
			}
			return runPower(cmd.Context(), a, p, args[0], wait, f)
		},
	}
	cmdutil.BindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitNodes)
	f.Bind(cmd, a, 30*time.Minute)
	return cmd
}

func runPower(ctx context.Context, a *cmdutil.Factory, p powerCommand, name string, wait nodepool.Wait,
	f *cmdutil.ChangeFlags) error {
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a)
	w, err := p.prepare(ctx, t.Client, namespace, name, wait)
	if err != nil {
		return err
	}
	c := cmdutil.Change{
		Command: p.verb + " cluster", Kind: map[string]string{"stop": "StopPlan", "start": "StartPlan"}[p.verb],
		Heading: cmdutil.Textf("%s the workers of hosted cluster %s/%s on %s", p.doing, namespace, name, t),
		Notes:   w.Notes,
		Steps: func(dry *cmdutil.Target) ([]step.Step, error) {
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
		c.Next = fmt.Sprintf("hcctl start cluster %s%s", name, cmdutil.NamespaceFlag(a))
	default:
		c.Done = fmt.Sprintf("The workers of hosted cluster %s/%s are started.", namespace, name)
	}
	return a.CarryOut(ctx, t, f, c)
}
