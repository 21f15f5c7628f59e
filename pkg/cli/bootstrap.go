package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

func newBootstrap(a *app) *cobra.Command {
	var o prereqs.Options
	timeout := time.Hour
	cmd := &cobra.Command{
		Use:     "bootstrap",
		GroupID: "management",
		Short:   "Install what hosted clusters need on the management cluster",
		Long: `bootstrap makes every prerequisite true that check asks for: storage, virtualization, MetalLB,
multicluster engine with its local cluster and hypershift addon, wildcard ingress. Independent ones go
side by side; each is waited for. What is there already is kept as it is, so it can be run again at any
time: after an interruption it goes on where it was.`,
		Example: "  hcctl bootstrap --metallb-range 192.168.216.32-192.168.216.122",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return misuse(cmd, err)
			}
			return a.bootstrap(cmd.Context(), o, timeout)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.LoadBalancer.MetalLBRanges, "metallb-range", nil, "addresses MetalLB may give out, as CIDR or FIRST-LAST (repeatable); not needed where a pool exists")
	f.DurationVar(&timeout, "timeout", timeout, "how long the whole may take")
	f.BoolVarP(&a.yes, "yes", "y", false, "do not ask before changing the cluster")
	return cmd
}

func (a *app) bootstrap(ctx context.Context, o prereqs.Options, timeout time.Duration) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	if err := a.confirm(fmt.Sprintf("Install what is missing on %s?", t)); err != nil {
		return err
	}
	r, err := a.run(ctx, t, fmt.Sprintf("Bootstrapping %s", t), timeout, prereqs.Steps(t.Client, o))
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(a.streams.Err, "Ready for hosted clusters. Next: hcctl create cluster --name NAME")
	return nil
}

// run takes steps to their end with progress and a summary on Err.
func (a *app) run(ctx context.Context, t *target, heading string, timeout time.Duration, steps []step.Step) (step.Report, error) {
	graph, err := step.New(steps...)
	if err != nil {
		return step.Report{}, err
	}
	_, _ = fmt.Fprintln(a.streams.Err, heading)
	progress := report.NewProgress(a.streams.Err, a.screen())
	opt, mirror := a.options(ctx, t, timeout, progress.Observe)
	r := graph.Run(ctx, opt)
	mirror.Close()
	progress.Close()
	return r, report.Summary(a.streams.Err, r)
}
