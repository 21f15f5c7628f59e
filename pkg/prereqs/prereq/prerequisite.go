package prereq

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/step"
)

// Prerequisite describes one prerequisite. Steps, removal, rights and preflight are derived from it; its group and its
// page follow from its ID.
type Prerequisite struct {
	// ID has the form "group/name". It is a contract with scripts and documentation.
	ID step.ID
	// Title names the requirement in a few words, such as "worker nodes".
	Title string
	// Severity is Required by default.
	Severity step.Severity
	// Needs are the prerequisites that must be met before Apply. After are those that it waits for to end. See step.Step.
	Needs, After []step.ID
	// Check reports whether the prerequisite is met.
	Check kube.Check
	// Apply meets the prerequisite; nil means that only a user can.
	Apply Apply
	// Timeout limits the step including the waiting. Zero means only the limit of the run.
	Timeout time.Duration
	// Remove undoes Apply.
	Remove []Removal
	// RemovedWith is the prerequisite whose Remove also removes what this one wrote, if it has no Remove of its own.
	RemovedWith step.ID
	// Effects are the changes to the whole cluster by Apply, or by the operator that it installs or configures.
	Effects []Effect
	// Rights are the rights that its functions need.
	Rights Rights
	// TakesOver describes which foreign decision --take-over with the ID replaces, such as "sets wildcardPolicy although
	// it was set otherwise". It is empty if that has no meaning.
	TakesOver string
	// Replaces lists fields of foreign objects that Apply may change, because an option names them or Check found no
	// decision on them. Each is the beginning of a path, such as "spec.plugins". Other foreign values stay, unless the
	// prerequisite is taken over.
	Replaces []string
	// Preflight is set if a hosted cluster that is about to be created may depend on it.
	Preflight *Preflight
}

// Apply meets a prerequisite, or starts what will meet it.
type Apply func(context.Context, *kube.Client) (step.Change, error)

// step returns the function in the form of step.Step; nil stays nil.
func (a Apply) step(c *kube.Client) func(context.Context) (step.Change, error) {
	if a == nil {
		return nil
	}
	return func(ctx context.Context) (step.Change, error) { return a(ctx, c) }
}

// Removal is one step that undoes a prerequisite. See step.Step.
type Removal struct {
	ID    step.ID
	Title string
	// Group is the group of the prerequisite if empty.
	Group string
	// Needs are the removals that must be done before. After are those that it waits for to end, if they are requested.
	Needs, After []step.ID
	// Check succeeds once the object is gone.
	Check kube.Check
	Apply Apply
	// Timeout limits the step. Zero means the default of a removal.
	Timeout time.Duration
}

// Rights are the rules that hcctl rbac prints and the check of permissions tests.
type Rights struct {
	// Check is what Check reads.
	Check []access.Rule
	// Apply is what Apply needs beyond that; Remove is what the steps of Remove need.
	Apply, Remove []access.Rule
}

// Preflight is the check of a prerequisite before a hosted cluster is created.
type Preflight struct {
	// For reports whether the hosted cluster depends on it; nil means always.
	For func(Wanted) bool
	// Check returns the check for this hosted cluster; nil means the check of the prerequisite.
	Check func(Wanted) kube.Check
	// Required makes an otherwise advisory check required: this hosted cluster would be affected.
	Required bool
}

// Group is the part of the ID by which reports are grouped, such as "load balancer".
func (p Prerequisite) Group() string { return strings.ReplaceAll(p.ID.Group(), "-", " ") }

// Page returns the path of its documentation in the repository, such as "docs/checks/cluster-nodes.md".
func (p Prerequisite) Page() string {
	return "docs/checks/" + strings.ReplaceAll(string(p.ID), "/", "-") + ".md"
}

// Step returns the prerequisite as a step of the engine.
func (p Prerequisite) Step(c *kube.Client) step.Step {
	effects := p.Effects
	if p.Apply == nil {
		effects = nil // nothing is installed
	}
	return step.Step{
		ID: p.ID, Title: p.Title, Group: p.Group(), Severity: p.Severity, Needs: p.Needs, After: p.After,
		Check: c.Reading(checkDeletion(addEffects(p.Check, effects))), Apply: p.Apply.step(c), Timeout: p.Timeout,
		Docs: p.Page(),
	}
}

// Removal returns the steps of uninstall that undo it.
func (p Prerequisite) Removal(c *kube.Client) []step.Step {
	steps := make([]step.Step, 0, len(p.Remove))
	for _, r := range p.Remove {
		steps = append(steps, step.Step{ID: r.ID, Title: r.Title, Group: cmp.Or(r.Group, p.Group()), Needs: r.Needs,
			After: r.After, Check: c.Reading(r.Check), Apply: r.Apply.step(c), Timeout: r.Timeout})
	}
	return steps
}

// PreflightStep returns the preflight check for the hosted cluster, or false if it needs none. The step has no needs
// and no Apply.
func (p Prerequisite) PreflightStep(c *kube.Client, w Wanted) (step.Step, bool) {
	if p.Preflight == nil || p.Preflight.For != nil && !p.Preflight.For(w) {
		return step.Step{}, false
	}
	s := p.Step(c)
	s.Needs, s.After, s.Apply = nil, nil, nil
	if p.Preflight.Check != nil {
		s.Check = c.Reading(checkDeletion(p.Preflight.Check(w)))
	}
	if p.Preflight.Required {
		s.Severity = step.Required
	}
	return s, true
}
