package bootstrap

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// planDocument is the plan of bootstrap as JSON or YAML.
type planDocument struct {
	report.PlanDocument
	// Overrides are the values of other field managers that would be replaced.
	Overrides []report.Override `json:"overrides"`
}

// planBootstrap prints what bootstrap would change, and which values of other field managers it would replace.
func planBootstrap(ctx context.Context, a *cmdutil.Factory, c *cmdutil.Choice, output string) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	p, err := c.Plan(ctx, t)
	if err != nil {
		return err
	}
	doc := planDocument{report.NewPlanDocument("BootstrapPlan", p.Steps(a.Call.Render)), overrides(p)}
	switch output {
	case "json":
		err = cmdutil.WriteJSON(a.Streams.Out, doc)
	case "yaml":
		err = cmdutil.WriteYAML(a.Streams.Out, doc)
	default:
		err = a.Plans.Print(p, "", "", fmt.Sprintf("What hcctl bootstrap would change on %s", t))
		if err == nil {
			err = cmdutil.Say(a.Streams.Out, "%s\n", overridesText(p))
		}
		if err == nil {
			for _, line := range manualSteps(p) { // a plan is long, and the user has to do this
				cmdutil.Tell(a.Streams.Err, "%s\n", line)
			}
			cmdutil.Tell(a.Streams.Err, "%s\n", a.Call.Render(afterPlan(p)))
		}
	}
	if err != nil {
		return err
	}
	return p.Verdict()
}

// afterPlan returns the next step after a plan of bootstrap.
func afterPlan(p *cmdutil.Planned) hint.Text {
	switch {
	case p.Forecasts.Err() != nil:
		return hint.New("%s would fail: see above. Nothing was changed.", hint.Run("bootstrap"))
	case p.Forecasts.Changes():
		return hint.New("Next: %s does this. Nothing was changed.", hint.Run("bootstrap"))
	}
	return hint.New("Nothing to do. Next: %s", hint.Run("create cluster").Flag("name", "NAME"))
}

// overrides returns the values of other field managers that the planned writes replace, in the order of the
// plan.
func overrides(p *cmdutil.Planned) []report.Override {
	out := []report.Override{}
	for _, f := range p.Forecasts {
		for _, w := range p.Writes[f.Step.ID] {
			for _, o := range w.Overrides() {
				if o.Others() {
					out = append(out, overrideOf(f.Step.ID, w, o))
				}
			}
		}
	}
	return out
}

func overrideOf(id step.ID, w plan.Write, o plan.Override) report.Override {
	out := report.Override{Step: id, APIVersion: w.Before.GetAPIVersion(), Kind: w.Before.GetKind(),
		Namespace: w.Before.GetNamespace(), Name: w.Before.GetName(), Field: o.Field(), Before: o.Before, After: o.After}
	if o.Known {
		out.Manager = o.Setter.Name()
		if !o.Setter.At.IsZero() {
			out.At = o.Setter.At.UTC().Format(time.RFC3339)
		}
	}
	if tool := owner.Of(w.Before); tool != nil {
		out.Owner = tool.String()
	}
	return out
}

// overridesText returns the overrides as lines for a user.
func overridesText(p *cmdutil.Planned) cmdutil.Text {
	lines := []cmdutil.Text{}
	for _, line := range report.OverrideLines(overrides(p)) {
		lines = append(lines, cmdutil.Row(line))
	}
	return cmdutil.Lines(lines...)
}

// question asks whether to continue. It names what is installed and the values of other field managers that
// would be replaced. That needs a plan, so it does this only on a terminal.
func question(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, c *cmdutil.Choice) cmdutil.Question {
	q := cmdutil.Question{Ask: cmdutil.Textf("Install what is missing on %s?", t.Named())}
	if !a.Prompter.Asks() {
		return q
	}
	if p, err := c.Plan(ctx, t); err != nil {
		q.Details = append(q.Details, cmdutil.Textf("Whether it replaces values that others have set is not known: %v", err))
	} else {
		q.Details = append(append(q.Details, installs(p), overridesText(p)), manualSteps(p)...)
	}
	q.Details = slices.DeleteFunc(q.Details, func(t cmdutil.Text) bool { return t == "" })
	return q
}

// maxTitles is the maximum number of steps in the question.
const maxTitles = 6

// installs names the required steps that would write something, as far as that is known.
func installs(p *cmdutil.Planned) cmdutil.Text {
	var titles []string
	for _, f := range p.Forecasts {
		if (f.Action == step.ActionWrite || f.Action == step.ActionOpen) && f.Step.Severity == step.Required {
			titles = append(titles, f.Step.Title)
		}
	}
	if len(titles) == 0 {
		return ""
	}
	return cmdutil.Textf("To be installed or changed: %s", plural.Few(titles, maxTitles))
}

// manualSteps lists what only the user can provide. The question shows it, so that no user waits for the other
// steps in vain.
func manualSteps(p *cmdutil.Planned) []cmdutil.Text {
	var lines []cmdutil.Text
	for _, f := range p.Forecasts {
		if f.Action == step.ActionPerson && f.Step.Severity == step.Required {
			line := cmdutil.Textf("Will still be missing: %s: %s", f.Step.Title, f.Finding.Message)
			if !f.Finding.Hint.IsZero() {
				line += cmdutil.Textf(" → %s", f.Finding.Hint)
			}
			lines = append(lines, line)
		}
	}
	return lines
}
