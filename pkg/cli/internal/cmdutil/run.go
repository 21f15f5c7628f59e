package cmdutil

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// Run runs steps with progress and a summary on Err.
func (a *Factory) Run(ctx context.Context, t *Target, heading Text, timeout time.Duration,
	steps []step.Step) (step.Report,
	error) {
	graph, err := step.New(steps...)
	if err != nil {
		return step.Report{}, err
	}
	return a.RunGraph(ctx, t, heading, graph, func(o *step.Options) { o.Timeout = timeout })
}

// RunGraph runs a graph with progress, a table and a summary on Err. shape sets the engine's options.
func (a *Factory) RunGraph(ctx context.Context, t *Target, heading Text, graph *step.Graph,
	shape func(*step.Options)) (step.Report, error) {
	Tell(a.Streams.Err, "%s\n", heading)
	r := a.take(ctx, t, graph, shape, report.NewProgress(a.Streams.Err, a.Screen()))
	if WasInterrupted(r.Err()) {
		return r, nil // PrintError says it in three lines
	}
	if err := report.Table(a.Streams.Err, r); err != nil {
		return r, err
	}
	return r, report.Summary(a.Streams.Err, r)
}

// RunSteps runs a graph with progress on Err, and leaves it to the caller to show the results.
func (a *Factory) RunSteps(ctx context.Context, t *Target, heading Text, graph *step.Graph) step.Report {
	Tell(a.Streams.Err, "%s\n", heading)
	return a.take(ctx, t, graph, func(*step.Options) {}, report.NewProgress(a.Streams.Err, a.Screen()))
}

// StreamGraph runs a graph and writes events to Out, one JSON object per line (docs/events.md).
func (a *Factory) StreamGraph(ctx context.Context, t *Target, graph *step.Graph, shape func(*step.Options),
	command string, next func(step.Report) string) error {
	r, err := a.streamReport(ctx, t, graph, shape, command, next)
	if err != nil {
		return err
	}
	return r.Err()
}

// streamReport is StreamGraph for callers that need the report. The error is only one of output.
func (a *Factory) streamReport(ctx context.Context, t *Target, graph *step.Graph, shape func(*step.Options),
	command string, next func(step.Report) string) (step.Report, error) {
	events := report.NewEvents(a.Streams.Out)
	events.Plan(command, report.Cluster{Context: t.Context, Server: t.Server, OpenShift: t.OpenShift,
		Kubernetes: t.Version}, graph)
	r := a.take(ctx, t, graph, shape, events)
	return r, events.Summary(r, report.RunEnd{ExitCode: ExitCode(r.Err()), Next: a.WithConnection(next(r))})
}

// take runs a graph and shows it with progress.
func (a *Factory) take(ctx context.Context, t *Target, graph *step.Graph, shape func(*step.Options),
	progress report.Progress) step.Report {
	opt, informers := a.options(ctx, t, a.ObserveWithConnection(progress.Observe))
	shape(&opt)
	a.Show(progress)
	r := a.ReportWithConnection(graph.Run(ctx, opt))
	informers.Close()
	a.Show(nil)
	progress.Close()
	if WasInterrupted(r.Err()) {
		a.interrupted = &r
	}
	return r
}

// Stream says how to write the events of a run.
type Stream struct {
	// Output is "json" for events; otherwise a person gets the progress.
	Output string
	// Command is for the first line, such as "create cluster". Next is the next command after a success.
	Command, Next string
}

// RunOrStream runs a graph with progress on Err or events on Out. The error is only one of output.
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

// RunSubjects runs a graph about several subjects with progress and a table on Err. noun is what one of them is, such
// as "cluster".
func (a *Factory) RunSubjects(ctx context.Context, t *Target, heading Text, noun string, graph *step.Graph,
	shape func(*step.Options)) (step.Report, error) {
	Tell(a.Streams.Err, "%s\n", heading)
	if noun != "cluster" {
		a.subjects = noun
	}
	r := a.take(ctx, t, graph, shape, report.NewSubjectProgress(a.Streams.Err, a.Screen(), noun+"s", graph))
	if WasInterrupted(r.Err()) {
		return r, nil // PrintError says it in three lines
	}
	return r, report.SubjectTable(a.Streams.Err, noun, r)
}
