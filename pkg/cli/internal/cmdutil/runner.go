package cmdutil

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// Runner runs steps and shows their progress and results.
type Runner struct {
	streams *Streams
	call    *Call
	notices *Notices
	limit   *Limit
	// interrupted is the report of a run that was interrupted, subjects what a subject of it is; empty for a hosted
	// cluster.
	interrupted *step.Report
	subjects    string
}

// Run is a run, and how it is shown.
type Run struct {
	// Graph is what is run; nil means Steps.
	Graph *step.Graph
	Steps []step.Step
	// Timeout bounds the run. Shape sets the other options of the engine; it may be nil.
	Timeout time.Duration
	Shape   func(*step.Options)
	// Heading is printed before the progress.
	Heading Text
	// Output is "json" for events on Out, one JSON object a line (docs/events.md). Otherwise progress and results are
	// printed on Err.
	Output string
	// Command is for the first event, such as "create cluster". Next returns the command for the last one; nil means none.
	Command string
	Next    func(step.Report) string
	// Noun is what a subject is, such as "cluster", for a line for each subject; empty for a line for each step.
	Noun string
	// Silent leaves the results to the caller.
	Silent bool
}

// AfterSuccess is a Next for runs that ended well.
func AfterSuccess(command string) func(step.Report) string {
	return func(r step.Report) string {
		if r.Err() != nil {
			return ""
		}
		return command
	}
}

// Run runs the steps. The error is one of wrong steps or of output; that of the run is in the report.
func (r *Runner) Run(ctx context.Context, t *Target, run Run) (step.Report, error) {
	graph := run.Graph
	if graph == nil {
		var err error
		if graph, err = step.New(run.Steps...); err != nil {
			return step.Report{}, err
		}
	}
	if run.Output == "json" {
		return r.stream(ctx, t, graph, run)
	}
	Tell(r.streams.Err, "%s\n", run.Heading)
	if run.Noun != "" {
		return r.runSubjects(ctx, t, graph, run)
	}
	result := r.take(ctx, t, graph, run, report.NewProgress(r.streams.Err, r.streams.Screen()))
	if run.Silent || WasInterrupted(result.Err()) { // PrintError reports an interruption
		return result, nil
	}
	if err := report.Table(r.streams.Err, result); err != nil {
		return result, err
	}
	return result, report.Summary(r.streams.Err, result)
}

// runSubjects runs a graph with a line for each subject.
func (r *Runner) runSubjects(ctx context.Context, t *Target, graph *step.Graph, run Run) (step.Report, error) {
	if run.Noun != "cluster" {
		r.subjects = run.Noun
	}
	result := r.take(ctx, t, graph, run,
		report.NewSubjectProgress(r.streams.Err, r.streams.Screen(), run.Noun+"s", graph))
	if WasInterrupted(result.Err()) {
		return result, nil
	}
	return result, report.SubjectTable(r.streams.Err, run.Noun, result)
}

// stream runs a graph and writes events to Out.
func (r *Runner) stream(ctx context.Context, t *Target, graph *step.Graph, run Run) (step.Report, error) {
	events := report.NewEvents(r.streams.Out)
	events.Plan(run.Command, report.Cluster{Context: t.Context, Server: t.Server, OpenShift: t.OpenShift,
		Kubernetes: t.Version}, graph)
	result := r.take(ctx, t, graph, run, events)
	next := ""
	if run.Next != nil {
		next = r.call.WithConnection(run.Next(result))
	}
	return result, events.Summary(result, report.RunEnd{ExitCode: ExitCode(result.Err()), Next: next})
}

// take runs a graph and shows it with progress.
func (r *Runner) take(ctx context.Context, t *Target, graph *step.Graph, run Run,
	progress report.Progress) step.Report {
	informers, reads := t.NewInformers(ctx), t.SharedReads
	if t.SharedReads = nil; reads == nil {
		reads = informer.NewSharedReads(ctx)
	}
	opt := step.Options{
		Observe: r.call.ObserveWithConnection(progress.Observe),
		Watch: func() step.Watch {
			reads.End()
			return informers.Watch()
		},
		ReadCache:   func(ctx context.Context) step.Reads { return reads.Cache(ctx) },
		BeforeWrite: reads.End,
		Transient:   kube.IsTransient, Explain: kube.Explain, IsOutage: transport.IsOutage,
	}
	opt.Timeout = run.Timeout
	if run.Shape != nil {
		run.Shape(&opt)
	}
	switch {
	case run.Silent:
		left, resume := r.limit.Pause()
		opt.Timeout = left
		defer resume()
	case opt.SubjectTimeout > 0:
		r.limit.HandOver(0)
	default:
		opt.Timeout = r.limit.HandOver(opt.Timeout)
	}
	r.notices.Show(progress)
	result := r.call.ReportWithConnection(graph.Run(ctx, opt))
	informers.Close()
	r.notices.Show(nil)
	progress.Close()
	if WasInterrupted(result.Err()) {
		r.interrupted = &result
	}
	return result
}
