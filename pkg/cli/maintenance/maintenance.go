// Package maintenance implements hcctl maintenance.
package maintenance

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/planonly"
	"github.com/hcctl/hcctl/pkg/management/maintenance"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command maintenance.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &planonly.Flags{}
	cmd := &cobra.Command{
		Use:     "maintenance NODE --plan",
		GroupID: "management",
		Short:   "Plan the maintenance of a node: what runs on it, and what a drain would cost",
		Long: `maintenance NODE --plan shows what is on a node of the management cluster before you drain it: pods of hosted
control planes, members of their etcd, virtual machines, Ceph's disks and all other pods, and what a drain does to
each. It changes nothing; oc adm drain does.

A drain does one of these to a pod or a virtual machine:
  moves     the pod is evicted and created again on another node
  migrates  the virtual machine is migrated live
  restarts  the virtual machine is shut down and starts on another node; of a worker with evictionStrategy External, as
            HyperShift 4.22 makes them, the node is drained inside the hosted cluster first
  stays     a drain leaves it alone (pods of DaemonSets and of the kubelet, Ceph's disks)
  waits     the drain waits for it: a PodDisruptionBudget lets no pod go, or the machine cannot be migrated
  lost      it is unavailable while the node is: its volume is on this node, no other node takes it, or nothing
            creates it again
  unknown   it could not be determined

Whether another node takes a pod is calculated from what pods request, node selectors, required affinity and taints;
devices such as GPUs are left out.

The exit code is 0 if nothing is in the way, 3 if something would wait or be lost or a hosted cluster would be
unavailable, and 1 if nothing is known to be in the way, but something could not be determined.`,
		Example: `  hcctl maintenance worker-1 --plan
  hcctl maintenance worker-1 --plan -o json`,
		Args: cmdutil.OneName("node"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.Validate("plans the maintenance of a node"); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if args[0] == "" {
				return cmdutil.Misuse(cmd, errors.New("the name of the node is empty"))
			}
			return planMaintenance(cmd.Context(), a, f, args[0])
		},
	}
	f.Bind(cmd)
	return cmd
}

func planMaintenance(ctx context.Context, a *cmdutil.Factory, f *planonly.Flags, node string) error {
	return f.Run(ctx, a, func(ctx context.Context, t *cmdutil.Target) (*planonly.Plan, error) {
		p, err := maintenance.Of(ctx, t.Client, node)
		if err != nil {
			return nil, err
		}
		return &planonly.Plan{Document: p, State: step.State(p.Verdict),
			Print: func() error { return printMaintenance(a, t, p) }}, nil
	})
}

func printMaintenance(a *cmdutil.Factory, t *cmdutil.Target, p *maintenance.Plan) error {
	cmdutil.Tell(a.Streams.Out, "Maintenance of node %s of %s; nothing is changed\n\n", p.Node, t)
	tree := planonly.Branches(a, p.Findings)
	for i := range p.HostedClusters {
		hc := &p.HostedClusters[i]
		b := report.Branch{Mark: cmdutil.StateMark(step.State(hc.Verdict)),
			Title: "hosted cluster " + hc.Namespace + "/" + hc.Name,
			Text:  counted("control plane pod", hc.Pods) + "; " + counted("worker VM", hc.Machines)}
		b.Branches = append(planonly.Branches(a, hc.Findings), lines(a, hc.Machines, true)...)
		b.Branches = append(b.Branches, lines(a, hc.Pods, false)...)
		tree = append(tree, b)
	}
	if len(p.Machines) > 0 {
		tree = append(tree, report.Branch{Mark: cmdutil.StateMark(worst(p.Machines)), Title: "other virtual machines",
			Text: counted("VM", p.Machines), Branches: lines(a, p.Machines, true)})
	}
	tree = append(tree, report.Branch{Mark: cmdutil.StateMark(worst(p.Pods)), Title: "other pods",
		Text:     counted("pod", p.Pods),
		Branches: lines(a, p.Pods, false)})
	if err := report.Tree(a.Streams.Out, a.Streams.ScreenOut(), tree...); err != nil {
		return err
	}
	return cmdutil.Say(a.Streams.Out, "\n%s\n", planonly.Conclusion(everything(p), "a drain of "+p.Node))
}

// everything returns all findings of a plan, and its items as findings.
func everything(p *maintenance.Plan) []step.Finding {
	all := append([]step.Finding{}, p.Findings...)
	items := func(list []maintenance.Item) {
		for i := range list {
			all = append(all, step.Finding{State: step.State(list[i].Verdict)})
		}
	}
	for i := range p.HostedClusters {
		all = append(all, p.HostedClusters[i].Findings...)
		items(p.HostedClusters[i].Pods)
		items(p.HostedClusters[i].Machines)
	}
	items(p.Machines)
	items(p.Pods)
	return all
}

func worst(items []maintenance.Item) step.State { return step.State(maintenance.Gravest(nil, items)) }

// counted returns a text such as "4 pods: 3 moves, 1 waits".
func counted(noun string, items []maintenance.Item) string {
	if len(items) == 0 {
		return "no " + noun + "s"
	}
	counts := map[maintenance.Outcome]int{}
	for i := range items {
		counts[items[i].Outcome]++
	}
	text, sep := plural.Count(len(items), noun), ": "
	for _, o := range []maintenance.Outcome{maintenance.Moves, maintenance.Migrates, maintenance.Restarts,
		maintenance.Stays, maintenance.Waits, maintenance.Lost, maintenance.Untold} {
		if counts[o] > 0 {
			text += fmt.Sprintf("%s%s %d", sep, o, counts[o])
			sep = ", "
		}
	}
	return text
}

// lines returns the items that block a drain, and with all also the others.
func lines(a *cmdutil.Factory, items []maintenance.Item, all bool) []report.Branch {
	var out []report.Branch
	rest := 0
	for _, v := range []step.State{step.StateFailing, step.StateUnknown, step.StateOK} {
		for i := range items {
			item := &items[i]
			if step.State(item.Verdict) != v || v == step.StateOK && !all {
				continue
			}
			if len(out) == planonly.MaxLines {
				rest++
				continue
			}
			text := string(item.Outcome)
			if item.Message != "" {
				text += ": " + item.Message
			}
			title := item.Kind + " " + item.Namespace + "/" + item.Name
			if item.NodePool != "" {
				title += " (node pool " + item.NodePool + ")"
			}
			out = append(out, report.Branch{Mark: cmdutil.StateMark(v), Title: title, Text: text,
				Hint: a.Call.Render(item.Hint)})
		}
	}
	if rest > 0 {
		out = append(out, report.Branch{Mark: cmdutil.StateMark(worst(items)),
			Text: fmt.Sprintf("and %d more; -o json has them all", rest)})
	}
	return out
}
