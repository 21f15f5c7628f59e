package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// run takes steps to their end with progress and a summary on Err.
func (a *app) run(ctx context.Context, t *target, heading string, timeout time.Duration, steps []step.Step) (step.Report, error) {
	graph, err := step.New(steps...)
	if err != nil {
		return step.Report{}, err
	}
	return a.runGraph(ctx, t, heading, graph, func(o *step.Options) { o.Timeout = timeout })
}

// runGraph takes a graph to its end with progress, a table and a summary on Err. The engine's options are as shape leaves them.
func (a *app) runGraph(ctx context.Context, t *target, heading string, graph *step.Graph, shape func(*step.Options)) (step.Report, error) {
	_, _ = fmt.Fprintln(a.streams.Err, heading)
	r := a.take(ctx, t, graph, shape, report.NewProgress(a.streams.Err, a.screen()))
	if err := report.Table(a.streams.Err, r); err != nil {
		return r, err
	}
	return r, report.Summary(a.streams.Err, r)
}

// streamGraph takes a graph to its end and tells it on Out, one JSON object a line (docs/events.md).
func (a *app) streamGraph(ctx context.Context, t *target, graph *step.Graph, shape func(*step.Options), command string, next func(step.Report) string) error {
	events := report.NewEvents(a.streams.Out)
	events.Plan(command, report.Cluster{Context: t.Context, Server: t.Server, OpenShift: t.OpenShift, Kubernetes: t.Version}, graph)
	r := a.take(ctx, t, graph, shape, events)
	err := r.Err()
	if failed := events.Summary(r, report.Ending{ExitCode: exitCode(err), Next: next(r)}); failed != nil {
		return failed
	}
	return err
}

// take runs a graph, shown by progress.
func (a *app) take(ctx context.Context, t *target, graph *step.Graph, shape func(*step.Options), progress report.Progress) step.Report {
	opt, mirror := a.options(ctx, t, progress.Observe)
	shape(&opt)
	r := graph.Run(ctx, opt)
	mirror.Close()
	progress.Close()
	return r
}
