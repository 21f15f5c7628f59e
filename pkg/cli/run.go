package cli

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// run takes steps to their end with progress and a summary on Err.
func (a *app) run(ctx context.Context, t *target, heading text, timeout time.Duration, steps []step.Step) (step.Report,
	error) {
	graph, err := step.New(steps...)
	if err != nil {
		return step.Report{}, err
	}
	return a.runGraph(ctx, t, heading, graph, func(o *step.Options) { o.Timeout = timeout })
}

// runGraph takes a graph to its end with progress, a table and a summary on Err. The engine's options are as shape leaves them.
func (a *app) runGraph(ctx context.Context, t *target, heading text, graph *step.Graph,
	shape func(*step.Options)) (step.Report, error) {
	tell(a.streams.Err, "%s\n", heading)
	r := a.take(ctx, t, graph, shape, report.NewProgress(a.streams.Err, a.screen()))
	if err := report.Table(a.streams.Err, r); err != nil {
		return r, err
	}
	return r, report.Summary(a.streams.Err, r)
}

// streamGraph takes a graph to its end and tells it on Out, one JSON object a line (docs/events.md).
func (a *app) streamGraph(ctx context.Context, t *target, graph *step.Graph, shape func(*step.Options), command string, next func(step.Report) string) error {
	r, err := a.streamReport(ctx, t, graph, shape, command, next)
	if err != nil {
		return err
	}
	return r.Err()
}

// streamReport is streamGraph for a caller that needs the report. The error is not of the run, but of telling it.
func (a *app) streamReport(ctx context.Context, t *target, graph *step.Graph, shape func(*step.Options), command string, next func(step.Report) string) (step.Report, error) {
	events := report.NewEvents(a.streams.Out)
	events.Plan(command, report.Cluster{Context: t.Context, Server: t.Server, OpenShift: t.OpenShift, Kubernetes: t.Version}, graph)
	r := a.take(ctx, t, graph, shape, events)
	return r, events.Summary(r, report.Ending{ExitCode: exitCode(r.Err()), Next: a.here(next(r))})
}

// take runs a graph, shown by progress.
func (a *app) take(ctx context.Context, t *target, graph *step.Graph, shape func(*step.Options), progress report.Progress) step.Report {
	opt, mirror := a.options(ctx, t, a.observeHere(progress.Observe))
	shape(&opt)
	a.show(progress)
	r := a.reportHere(graph.Run(ctx, opt))
	mirror.Close()
	a.show(nil)
	progress.Close()
	return r
}

// stream says what the events of a run are to be told as.
type stream struct {
	// output is "json" for events, else the run is shown to a person.
	output string
	// command is the first line's, such as "create cluster"; next is the next command where all ends well.
	command, next string
}

// runOrStream takes a graph to its end, shown to a person on Err or told to a program on Out. The error is not of the run, but of telling it.
func (a *app) runOrStream(ctx context.Context, t *target, heading text, graph *step.Graph, shape func(*step.Options),
	s stream) (step.Report, error) {
	if s.output != "json" {
		return a.runGraph(ctx, t, heading, graph, shape)
	}
	return a.streamReport(ctx, t, graph, shape, s.command, func(r step.Report) string {
		if r.Err() != nil {
			return ""
		}
		return s.next
	})
}

// runSubjects takes a graph about several subjects, called kind in the plural, to its end with progress and a table on Err.
func (a *app) runSubjects(ctx context.Context, t *target, heading text, kind string, graph *step.Graph,
	shape func(*step.Options)) (step.Report, error) {
	tell(a.streams.Err, "%s\n", heading)
	r := a.take(ctx, t, graph, shape, report.NewSubjectProgress(a.streams.Err, a.screen(), kind, graph))
	return r, report.SubjectTable(a.streams.Err, "cluster", r)
}
