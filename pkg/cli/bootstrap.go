package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

func newBootstrap(a *app) *cobra.Command {
	settings := config.Default()
	cmd := &cobra.Command{
		Use:     "bootstrap",
		GroupID: "management",
		Short:   "Install what hosted clusters need on the management cluster",
		Long: `bootstrap makes every prerequisite true that check asks for: storage, virtualization, MetalLB,
multicluster engine with its local cluster and hypershift addon, wildcard ingress. Independent ones go
side by side; each is waited for. What is there already is kept as it is, so it can be run again at any
time: after an interruption it goes on where it was.`,
		Example: `  hcctl bootstrap --metallb-range 192.168.216.32-192.168.216.122
  hcctl bootstrap --only load-balancer --metallb-range 10.0.0.64/28
  hcctl bootstrap --storage existing --skip cluster/nodes --timeout 2h --yes`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := chosen(settings)
			if err != nil {
				return misuse(cmd, err)
			}
			return a.bootstrap(cmd.Context(), c)
		},
	}
	bindSettings(cmd.Flags(), &settings)
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "do not ask before changing the cluster")
	completeSettings(cmd)
	return cmd
}

func (a *app) bootstrap(ctx context.Context, c *choice) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	if err := a.confirm(fmt.Sprintf("Install what is missing on %s?", t)); err != nil {
		return err
	}
	graph, err := c.graph(t)
	if err != nil {
		return err
	}
	r, err := a.runGraph(ctx, t, fmt.Sprintf("Bootstrapping %s", t), graph, c.shape)
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
	return a.runGraph(ctx, t, heading, graph, func(o *step.Options) { o.Timeout = timeout })
}

// runGraph takes a graph to its end, with the engine's options as shape leaves them.
func (a *app) runGraph(ctx context.Context, t *target, heading string, graph *step.Graph, shape func(*step.Options)) (step.Report, error) {
	_, _ = fmt.Fprintln(a.streams.Err, heading)
	progress := report.NewProgress(a.streams.Err, a.screen())
	opt, mirror := a.options(ctx, t, progress.Observe)
	shape(&opt)
	r := graph.Run(ctx, opt)
	mirror.Close()
	progress.Close()
	return r, report.Summary(a.streams.Err, r)
}
