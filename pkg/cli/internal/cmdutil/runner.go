package cmdutil

import (
	"context"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/prompt"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// Prompter asks the user at the terminal.
type Prompter struct {
	streams *Streams
	files   *Files
	limit   *Limit
	// Yes is --yes: do not ask.
	Yes bool
}

// Caller returns whether this command has a terminal and --yes.
func (p *Prompter) Caller() consent.Caller {
	_, terminal := p.streams.Terminal()
	return consent.Caller{Terminal: terminal, Yes: p.Yes}
}

// Asks reports whether Consent asks a user.
func (p *Prompter) Asks() bool { return p.Caller().Decide(consent.Request{}) == consent.Asks }

// Confirm is Consent for a command that creates or changes something.
func (p *Prompter) Confirm(ctx context.Context, question Text) error {
	return p.Consent(ctx, Question{Ask: question})
}

// Question is the question to the user before a command continues.
type Question struct {
	prompt.Question
	// Command is the command that asks, such as "delete cluster". Destroys is true if it destroys something.
	Command  string
	Destroys bool
	// Details are the lines above the question, such as what is lost, the most important first. Ask is the
	// question, on one line.
	Details []Text
	Ask     Text
}

// maxDetails is the maximum number of lines above a question. Users read about five lines, the question
// included, before they answer.
const maxDetails = 4

// lines returns the lines above the question. If there are too many, the last line says how many more there are.
func (q Question) lines() []Text {
	var lines []Text
	for _, detail := range q.Details {
		for line := range strings.SplitSeq(string(detail), "\n") {
			lines = append(lines, Text(line))
		}
	}
	if len(lines) <= maxDetails {
		return lines
	}
	more := Textf("  and %d more lines: the same command with --dry-run shows all", len(lines)-maxDetails+1)
	return append(lines[:maxDetails-1:maxDetails-1], more)
}

// Destruction returns the question of a command that destroys something. Without a terminal the command needs
// --yes.
func Destruction(command string, ask Text, details ...Text) Question {
	return Question{Command: command, Destroys: true, Details: details, Ask: ask}
}

// Consent asks the user if the command has to ask, and returns an error if the command must not continue.
func (p *Prompter) Consent(ctx context.Context, q Question) error {
	for _, note := range p.files.read {
		Tell(p.streams.Err, "%s\n", note)
	}
	switch p.Caller().Decide(consent.Request{Destroys: q.Destroys}) {
	case consent.Asks:
		return p.Ask(ctx, q)
	case consent.NeedsYes:
		return consent.MissingFlag(q.Command)
	case consent.GoesOn, consent.NeedsDisks:
	}
	return nil
}

// Ask asks the user at the terminal. An interrupt ends the question.
func (p *Prompter) Ask(ctx context.Context, q Question) error {
	in, _ := p.streams.Terminal()
	_, resume := p.limit.Pause()
	defer resume()
	for _, line := range q.lines() {
		Tell(p.streams.Err, "%s\n", line)
	}
	// The empty line ends a line that the user was typing.
	err := q.Question.Ask(ctx, in, func() { Tell(p.streams.Err, "\n%s %s", q.Ask, Text(q.Answers())) })
	if ctx.Err() != nil {
		Tell(p.streams.Err, "\n")
	}
	return err
}

// NeedsConsent returns an error if a command that destroys something has neither a terminal nor --yes, except in
// a dry run. Commands call it before they connect to the cluster.
func (p *Prompter) NeedsConsent(command string, dryRun bool) error {
	if !dryRun && p.Caller().Decide(consent.Request{Destroys: true}) == consent.NeedsYes {
		return consent.MissingFlag(command)
	}
	return nil
}

// Runner runs steps and shows their progress and results.
type Runner struct {
	streams *Streams
	call    *Call
	notices *Notices
	limit   *Limit
	// interrupted is the report of an interrupted run. subjects names a subject of that run; empty for a hosted
	// cluster.
	interrupted *step.Report
	subjects    string
	// collected holds the results of all runs, for JUnit.
	collected step.Report
}

// Run is a run, and how it is shown.
type Run struct {
	// Graph is the graph to run; nil means Steps.
	Graph *step.Graph
	Steps []step.Step
	// Timeout bounds the run. Shape sets the other options of the engine; it may be nil.
	Timeout time.Duration
	Shape   func(*step.Options)
	// Advance returns how far the run is, for steps that take long. If it is nil, the steps report that
	// themselves.
	Advance func() string
	// Heading is printed before the progress.
	Heading Text
	// Output is "json" for events on Out, one JSON object a line (docs/events.md). Otherwise progress and
	// results are printed on Err.
	Output string
	// Command is for the first event, such as "create cluster". Next returns the next command for the last
	// event; nil means none.
	Command string
	Next    func(step.Report) hint.Text
	// Noun names a subject, such as "cluster", and gives a line for each subject. If it is empty, each step has
	// a line.
	Noun string
	// Silent leaves the printing of the results to the caller.
	Silent bool
}

// AfterSuccess returns a Next that gives this command after a successful run, and none after a failed one.
func AfterSuccess(next hint.Text) func(step.Report) hint.Text {
	return func(r step.Report) hint.Text {
		if r.Err() != nil {
			return hint.Text{}
		}
		return next
	}
}

// Run runs the steps. The returned error is about invalid steps or the output; the error of the run is in the
// report.
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
	if run.Heading != "" {
		Tell(r.streams.Err, "%s\n", run.Heading)
	}
	if run.Noun != "" {
		return r.runSubjects(ctx, t, graph, run)
	}
	result := r.runGraph(ctx, t, graph, run, report.NewProgress(r.streams.Err, r.streams.Screen()))
	if run.Silent || WasInterrupted(result.Err()) { // PrintError reports an interruption
		return result, nil
	}
	if screen := r.streams.Screen(); !screen.Redraw || screen.All { // a live display has shown them already
		if err := report.Table(r.streams.Err, result); err != nil {
			return result, err
		}
	}
	return result, report.Summary(r.streams.Err, result)
}

// runSubjects runs a graph with one line for each subject.
func (r *Runner) runSubjects(ctx context.Context, t *Target, graph *step.Graph, run Run) (step.Report, error) {
	if run.Noun != "cluster" {
		r.subjects = run.Noun
	}
	result := r.runGraph(ctx, t, graph, run,
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
	result := r.runGraph(ctx, t, graph, run, events)
	next := ""
	if run.Next != nil {
		next = r.call.Render(run.Next(result))
	}
	return result, events.Summary(result, report.RunEnd{ExitCode: ExitCode(result.Err()), Next: next})
}

// runGraph runs a graph, shows it with progress, and collects the results.
func (r *Runner) runGraph(ctx context.Context, t *Target, graph *step.Graph, run Run,
	progress report.Progress) step.Report {
	informers, reads := t.NewInformers(ctx), t.SharedReads
	if t.SharedReads = nil; reads == nil {
		reads = informer.NewSharedReads(ctx)
	}
	opt := step.Options{
		Observe: r.call.RenderEvents(progress.Observe),
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
	finish := func() {}
	if run.Advance != nil {
		finish = report.Advance(progress, run.Advance)
	}
	result := r.call.RenderReport(graph.Run(ctx, opt))
	finish()
	informers.Close()
	r.notices.Show(nil)
	progress.Close()
	if WasInterrupted(result.Err()) {
		r.interrupted = &result
	}
	r.collected.Results = append(r.collected.Results, result.Results...)
	r.collected.Elapsed += result.Elapsed
	return result
}
