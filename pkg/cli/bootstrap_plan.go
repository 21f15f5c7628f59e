package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// planFlags ask for a plan instead of a run.
type planFlags struct {
	dryRun bool
	render string
}

func (p *planFlags) bind(f *pflag.FlagSet) {
	f.BoolVar(&p.dryRun, "dry-run", false, "say what would be changed, as a diff, and change nothing; exits 3 if there is anything to do")
	f.StringVar(&p.render, "render", "", "write the manifests of what would be changed into this folder, for GitOps, and change nothing")
}

// validate holds the output format against what is asked for.
func (p *planFlags) validate(output string) error {
	switch {
	case p.render != "" && p.dryRun:
		return errors.New("--render and --dry-run: give one of them; both change nothing")
	case p.render != "" && output != "":
		return errors.New("--render writes files: it takes no --output")
	case p.dryRun:
		return oneOf(output, "", "json", "yaml")
	}
	return oneOf(output, "", "json")
}

// errPlanned goes with a plan, already printed, that has something to do.
var errPlanned = errors.New("there is something to do")

// plannedError is a plan's verdict as an error: it carries the exit code and prints nothing more.
type plannedError struct{ code int }

// plannedExit ends a dry run with that exit code.
func plannedExit(code int) *plannedError { return &plannedError{code: code} }

func (e *plannedError) Error() string        { return errPlanned.Error() }
func (e *plannedError) ExitCode() int        { return e.code }
func (e *plannedError) Is(target error) bool { return target == errFindings }

// planned is a plan: what each step would do, and what it would write.
type planned struct {
	forecasts step.Forecasts
	writes    map[step.ID][]plan.Write
	// order is the steps in the order in which they were planned, depth how many steps each rests on.
	order []step.ID
	depth map[step.ID]int
	// outside is what would be deleted outside of each cluster's own namespaces.
	outside []outsideOf
}

// step finds a step of the plan.
func (p *planned) step(id step.ID) *step.Step {
	for _, f := range p.forecasts {
		if f.Step.ID == id {
			return f.Step
		}
	}
	return nil
}

// planWrites walks the graph that build makes for a client which changes nothing.
func planWrites(ctx context.Context, t *target, build func(*target) (*step.Graph, error), shape func(*step.Options)) (*planned, error) {
	dry := *t
	var record *plan.Plan
	dry.Client, record = prereqs.Planning(t.Client)
	graph, err := build(&dry)
	if err != nil {
		return nil, err
	}
	opt := step.Options{Transient: kube.IsTransient}
	shape(&opt)
	p := &planned{writes: map[step.ID][]plan.Write{}, depth: graph.Depth()}
	p.forecasts = graph.Plan(ctx, opt, func(f step.Forecast) {
		p.writes[f.Step.ID] = record.Take()
		p.order = append(p.order, f.Step.ID)
	})
	return p, nil
}

// steps are the plan for a renderer, their hints as tell words them.
func (p *planned) steps(tell func(string) string) []report.PlannedStep {
	var steps []report.PlannedStep
	for _, f := range p.forecasts {
		one := report.PlannedStep{Forecast: f}
		one.Finding.Hint = tell(one.Finding.Hint)
		for _, w := range settled(p.writes[f.Step.ID]) {
			obj := w.Object()
			one.Writes = append(one.Writes, report.PlannedWrite{
				Verb: string(w.Verb), APIVersion: obj.GetAPIVersion(), Kind: obj.GetKind(), Namespace: obj.GetNamespace(), Name: obj.GetName(),
				Unvalidated: w.Unvalidated, Diff: w.Diff(),
			})
		}
		steps = append(steps, one)
	}
	return steps
}

// settled leaves out what is written to objects that are deleted in the same stroke.
func settled(writes []plan.Write) []plan.Write {
	var out []plan.Write
	for i, w := range writes {
		doomed := slices.ContainsFunc(writes[i+1:], func(later plan.Write) bool {
			a, b := w.Object(), later.Object()
			return later.Verb == plan.VerbDelete && a.GetKind() == b.GetKind() && kube.Name(a) == kube.Name(b)
		})
		if w.Verb == plan.VerbDelete {
			w.Unvalidated = ""
		}
		if !doomed {
			out = append(out, w)
		}
	}
	return out
}

// verdict is nil if there is nothing to do; else an error with the exit code of a plan.
func (p *planned) verdict() error {
	if err := p.forecasts.Err(); err != nil {
		return plannedExit(exitCode(err))
	}
	if p.forecasts.Changes() {
		return plannedExit(exitMissing)
	}
	return nil
}

// printPlan writes the plan to Out. kind names it for programs; title and next are for people.
func (a *app) printPlan(p *planned, output, kind, title string) error {
	switch output {
	case "json":
		return writeJSON(a.streams.Out, report.NewPlanDocument(kind, p.steps(a.here)))
	case "yaml":
		return writeYAML(a.streams.Out, report.NewPlanDocument(kind, p.steps(a.here)))
	}
	if err := say(a.streams.Out, "%s\n\n", title); err != nil {
		return err
	}
	return report.Plan(a.streams.Out, p.steps(a.here), report.ScreenOf(a.streams.Out, a.getenv))
}

// planTimeout bounds a plan: it waits for nothing but answers.
const planTimeout = 5 * time.Minute

// plan is what bootstrap would do with these settings.
func (c *choice) plan(ctx context.Context, t *target) (*planned, error) {
	return planWrites(ctx, t, c.graph, func(opt *step.Options) {
		c.shape(opt)
		opt.Timeout = min(opt.Timeout, planTimeout)
	})
}

// planBootstrap says what bootstrap would do.
func (a *app) planBootstrap(ctx context.Context, c *choice, output string) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	p, err := c.plan(ctx, t)
	if err != nil {
		return err
	}
	if err := a.printPlan(p, output, "BootstrapPlan", fmt.Sprintf("What hcctl bootstrap would change on %s", t)); err != nil {
		return err
	}
	if output == "" {
		tell(a.streams.Err, "%s\n", a.here(afterPlan(p)))
	}
	return p.verdict()
}

// afterPlan is the next step after a plan of bootstrap.
func afterPlan(p *planned) string {
	switch {
	case p.forecasts.Err() != nil:
		return "hcctl bootstrap would not end well: see above. Nothing was changed."
	case p.forecasts.Changes():
		return "Next: hcctl bootstrap does this. Nothing was changed."
	}
	return "Nothing to do. Next: hcctl create cluster --name NAME"
}
