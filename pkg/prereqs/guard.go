package prereqs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// guard checks the writes of one step before they are made.
type guard struct {
	replaces []string
	// takenOver means that the user allows foreign decisions to be replaced.
	takenOver bool
}

// before returns apply with a dry run first. Nothing of the step is written if one of its writes is refused: by the API
// server, or because it would replace a foreign decision.
func (g guard) before(apply prereq.Apply) prereq.Apply {
	if apply == nil {
		return nil
	}
	guarded := dryRunFirst(apply)
	return func(ctx context.Context, c *kube.Client) (step.Change, error) {
		return guarded(plan.WithJudge(ctx, g.judge), c)
	}
}

// dryRunFirst returns apply with a dry run first. Only planning clients call the judge of a context, so each write is
// judged once.
func dryRunFirst(apply prereq.Apply) prereq.Apply {
	return func(ctx context.Context, c *kube.Client) (step.Change, error) {
		if c.IsPlanning() {
			return apply(ctx, c)
		}
		dry, _ := c.Planning(nil)
		if _, err := apply(ctx, dry); err != nil {
			return "", err
		}
		return apply(ctx, c)
	}
}

// judge refuses a write that would replace a foreign decision.
func (g guard) judge(w plan.Write) error {
	if w.Verb != plan.VerbChange || w.Before == nil {
		return nil
	}
	tool := owner.Of(w.Before)
	object := w.Before.GetKind() + " " + kube.Name(w.Before)
	if tool != nil && tool.KeepsWhole() && w.ChangesSpec() {
		return fmt.Errorf("%s belongs to %s, which puts back what is changed: change it %s", object, tool, tool.Where)
	}
	for _, o := range w.Overrides() {
		switch {
		case !o.Others():
		case tool != nil && tool.Keeps(w.Before, o.Path...):
			return fmt.Errorf("%s: %s is %s, and %s puts that back whenever it is changed: change it %s", object, o.Field(),
				o.Before, tool, tool.Where)
		case !g.takenOver && !g.mayReplace(o.Field()):
			return fmt.Errorf("%s: %s is %s%s, and would become %s: hcctl keeps what others have decided", object,
				o.Field(), o.Before, prereq.SetBy(w.Before, o.Path...), after(o))
		}
	}
	return nil
}

func after(o plan.Override) string {
	if o.After == "" {
		return "unset"
	}
	return o.After
}

func (g guard) mayReplace(field string) bool {
	return slices.ContainsFunc(g.replaces, func(prefix string) bool { return strings.HasPrefix(field, prefix) })
}
