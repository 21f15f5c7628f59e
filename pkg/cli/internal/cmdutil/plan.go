package cmdutil

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/report/graph"
	"github.com/hcctl/hcctl/pkg/step"
)

// DryRunExits is the end of the help text of every --dry-run.
const DryRunExits = "exits 0 if there is nothing to do, 6 if there is, 3 if it would not work"

// PlanFlags are the flags that ask for a plan instead of a run.
type PlanFlags struct {
	DryRun bool
	Render string
}

// Bind adds the flags to a command.
func (p *PlanFlags) Bind(f *pflag.FlagSet) {
	f.BoolVar(&p.DryRun, "dry-run", false, "say what would be changed, as a diff, and change nothing; "+DryRunExits)
	f.StringVar(&p.Render, "render", "", "write the manifests of what would be changed into this directory, for GitOps, "+
		"and change nothing")
	_ = cobra.MarkFlagDirname(f, "render")
}

// Validate checks the flags and the output format.
func (p *PlanFlags) Validate(output string) error {
	switch {
	case p.Render != "" && p.DryRun:
		return errors.New("--render and --dry-run: give only one of them; both change nothing")
	case p.Render != "" && output != "":
		return errors.New("--render writes files: it takes no --output")
	case p.DryRun:
		return PlanFormat(output)
	}
	return RunFormat(output)
}

// FormatHTML is the format of a plan as a page with a graph.
const FormatHTML = "html"

// PlanFormat returns an error if output is not a format of a plan.
func PlanFormat(output string) error { return CheckFormat(output, "json", "yaml", FormatHTML) }

// Planned is a plan: what each step would do and write.
type Planned struct {
	Forecasts step.Forecasts
	Writes    map[step.ID][]plan.Write
	// Order lists the steps in the order of the plan. Depth is the length of each step's chain of needs.
	Order []step.ID
	Depth map[step.ID]int
	// Lost lists what would be lost for good with each cluster. Outside lists what is deleted outside of its own
	// namespaces.
	Lost    []LostWith
	Outside []OutsideOf
	// Noun names a subject of the plan; empty for a hosted cluster.
	Noun string
}

// step returns the step with this ID, or nil.
func (p *Planned) step(id step.ID) *step.Step {
	for _, f := range p.Forecasts {
		if f.Step.ID == id {
			return f.Step
		}
	}
	return nil
}

// PlanWrites plans the graph that build makes for a client that changes nothing. shape sets the engine's
// options.
func PlanWrites(ctx context.Context, t *Target, build func(*Target) (*step.Graph, error),
	shape func(*step.Options)) (*Planned, error) {
	dry := *t
	var record *plan.Plan
	dry.Client, record = prereqs.Planning(t.Client)
	graph, err := build(&dry)
	if err != nil {
		return nil, err
	}
	opt := step.Options{Transient: kube.IsTransient}
	shape(&opt)
	p := &Planned{Writes: map[step.ID][]plan.Write{}, Depth: graph.Depth()}
	p.Forecasts = graph.Plan(ctx, opt, func(f step.Forecast) {
		p.Writes[f.Step.ID] = record.Take()
		p.Order = append(p.Order, f.Step.ID)
	})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, ctx.Err()
	}
	return p, nil
}

// Steps returns the plan for a renderer. render turns a hint into text for the user.
func (p *Planned) Steps(render func(hint.Text) string) []report.PlannedStep {
	var steps []report.PlannedStep
	for _, f := range p.Forecasts {
		one := report.PlannedStep{Forecast: f}
		one.Finding.Hint = hint.Plain(render(one.Finding.Hint))
		for _, w := range withoutDeleted(p.Writes[f.Step.ID]) {
			obj := w.Object()
			one.Writes = append(one.Writes, report.PlannedWrite{
				Verb: string(w.Verb), APIVersion: obj.GetAPIVersion(), Kind: obj.GetKind(), Namespace: obj.GetNamespace(),
				Name:        obj.GetName(),
				Unvalidated: w.Unvalidated, Diff: w.Diff(),
			})
		}
		steps = append(steps, one)
	}
	return steps
}

// withoutDeleted removes writes to objects that the same step deletes later.
func withoutDeleted(writes []plan.Write) []plan.Write {
	var out []plan.Write
	for i, w := range writes {
		deleted := slices.ContainsFunc(writes[i+1:], func(later plan.Write) bool {
			a, b := w.Object(), later.Object()
			return later.Verb == plan.VerbDelete && a.GetKind() == b.GetKind() && kube.Name(a) == kube.Name(b)
		})
		if w.Verb == plan.VerbDelete {
			w.Unvalidated = ""
		}
		if !deleted {
			out = append(out, w)
		}
	}
	return out
}

// Verdict returns nil if there is nothing to do, else an error with the exit code of the plan: 3 if the command
// would not work, 1 if that is not known, 6 if there is only something to do.
func (p *Planned) Verdict() error {
	code := ExitDone
	for _, f := range p.Forecasts {
		if errors.Is(f.Err, context.Canceled) {
			return Ended(ExitInterrupted)
		}
		code = decidingCode(code, forecastCode(f))
	}
	if code == ExitDone {
		return nil
	}
	return Ended(code)
}

// forecastCode returns the exit code of one step of a plan.
func forecastCode(f step.Forecast) int {
	switch f.Action {
	case step.ActionStop, step.ActionPerson:
		return ExitMissing
	case step.ActionUnseen:
		return ExitError
	case step.ActionWrite, step.ActionWait, step.ActionOpen:
		return ExitDiffers
	case step.ActionKeep, step.ActionLeave: // the step that prevents this one has its own code
	}
	return ExitDone
}

// decidingCode returns which of two exit codes counts for the whole plan.
func decidingCode(a, b int) int {
	for _, code := range []int{ExitMissing, ExitError, ExitDiffers} {
		if a == code || b == code {
			return code
		}
	}
	return ExitDone
}

// Plans prints plans.
type Plans struct {
	streams *Streams
	call    *Call
	files   *Files
}

// Print prints the plan to Out. kind is its kind in JSON and YAML, title its heading for users.
func (s *Plans) Print(p *Planned, output, kind, title string) error {
	switch output {
	case "json":
		return WriteJSON(s.streams.Out, s.document(p, kind))
	case "yaml":
		return WriteYAML(s.streams.Out, s.document(p, kind))
	}
	if output == FormatHTML {
		return s.PrintPage(p, title)
	}
	if err := Say(s.streams.Out, "%s\n\n", title); err != nil {
		return err
	}
	for _, note := range s.files.read {
		Tell(s.streams.Out, "  %s\n", note)
	}
	if len(s.files.read) > 0 {
		Tell(s.streams.Out, "\n")
	}
	return report.Plan(s.streams.Out, p.Steps(s.call.Render), s.streams.ScreenOut())
}

// PrintPage prints the plan to Out as one HTML page: the graph of the steps, and what they would write. The
// notices come first.
func (s *Plans) PrintPage(p *Planned, title string, notices ...string) error {
	notices = append(slices.Clone(s.files.read), notices...)
	return s.streams.Document([]byte(graph.PlanPage(title, p.Steps(s.call.Render), notices...).String()))
}

// document returns the plan for JSON and YAML, with the files that documents named.
func (s *Plans) document(p *Planned, kind string) report.PlanDocument {
	doc := report.NewPlanDocument(kind, p.Steps(s.call.Render))
	doc.Files = s.files.read
	return doc
}

// PlanTimeout bounds a plan, which waits only for answers of servers.
const PlanTimeout = 5 * time.Minute

// Plan plans bootstrap with these settings.
func (c *Choice) Plan(ctx context.Context, t *Target) (*Planned, error) {
	return PlanWrites(ctx, t, c.Graph, func(opt *step.Options) {
		c.Shape(opt)
		opt.Timeout = min(opt.Timeout, PlanTimeout)
	})
}
