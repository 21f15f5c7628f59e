package cmdutil

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// Run takes steps to their end with progress and a summary on Err.
func (a *Factory) Run(ctx context.Context, t *Target, heading Text, timeout time.Duration,
	steps []step.Step) (step.Report,
	error) {
	graph, err := step.New(steps...)
	if err != nil {
		return step.Report{}, err
	}
	return a.RunGraph(ctx, t, heading, graph, func(o *step.Options) { o.Timeout = timeout })
}

// RunGraph takes a graph to its end with progress, a table and a summary on Err. The engine's options are as shape
// leaves them.
func (a *Factory) RunGraph(ctx context.Context, t *Target, heading Text, graph *step.Graph,
	shape func(*step.Options)) (step.Report, error) {
	Tell(a.Streams.Err, "%s\n", heading)
	r := a.take(ctx, t, graph, shape, report.NewProgress(a.Streams.Err, a.Screen()))
	if err := report.Table(a.Streams.Err, r); err != nil {
		return r, err
	}
	return r, report.Summary(a.Streams.Err, r)
}

// StreamGraph takes a graph to its end and tells it on Out, one JSON object a line (docs/events.md).
func (a *Factory) StreamGraph(ctx context.Context, t *Target, graph *step.Graph, shape func(*step.Options),
	command string, next func(step.Report) string) error {
	r, err := a.streamReport(ctx, t, graph, shape, command, next)
	if err != nil {
		return err
	}
	return r.Err()
}

// streamReport is StreamGraph for a caller that needs the report. The error is not of the run, but of telling it.
func (a *Factory) streamReport(ctx context.Context, t *Target, graph *step.Graph, shape func(*step.Options),
	command string, next func(step.Report) string) (step.Report, error) {
	events := report.NewEvents(a.Streams.Out)
	events.Plan(command, report.Cluster{Context: t.Context, Server: t.Server, OpenShift: t.OpenShift,
		Kubernetes: t.Version}, graph)
	r := a.take(ctx, t, graph, shape, events)
	return r, events.Summary(r, report.Ending{ExitCode: ExitCode(r.Err()), Next: a.Here(next(r))})
}

// take runs a graph, shown by progress.
func (a *Factory) take(ctx context.Context, t *Target, graph *step.Graph, shape func(*step.Options),
	progress report.Progress) step.Report {
	opt, mirror := a.options(ctx, t, a.ObserveHere(progress.Observe))
	shape(&opt)
	a.Show(progress)
	r := a.ReportHere(graph.Run(ctx, opt))
	mirror.Close()
	a.Show(nil)
	progress.Close()
	return r
}

// Stream says what the events of a run are to be told as.
type Stream struct {
	// Output is "json" for events, else the run is shown to a person.
	Output string
	// command is the first line's, such as "create cluster"; next is the next command where all ends well.
	Command, Next string
}

// RunOrStream takes a graph to its end, shown to a person on Err or told to a program on Out. The error is not of the
// run, but of telling it.
func (a *Factory) RunOrStream(ctx context.Context, t *Target, heading Text, graph *step.Graph,
	shape func(*step.Options),
	s Stream) (step.Report, error) {
	if s.Output != "json" {
		return a.RunGraph(ctx, t, heading, graph, shape)
	}
	return a.streamReport(ctx, t, graph, shape, s.Command, func(r step.Report) string {
		if r.Err() != nil {
			return ""
		}
		return s.Next
	})
}

// RunSubjects takes a graph about several subjects, called kind in the plural, to its end with progress and a table on
// Err.
func (a *Factory) RunSubjects(ctx context.Context, t *Target, heading Text, kind string, graph *step.Graph,
	shape func(*step.Options)) (step.Report, error) {
	Tell(a.Streams.Err, "%s\n", heading)
	r := a.take(ctx, t, graph, shape, report.NewSubjectProgress(a.Streams.Err, a.Screen(), kind, graph))
	return r, report.SubjectTable(a.Streams.Err, "cluster", r)
}
