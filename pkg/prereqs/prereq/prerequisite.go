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

// Prerequisite is all there is to know of one prerequisite. Steps, removal, rights and preflight are derived from it;
// its group and its page follow from its ID.
type Prerequisite struct {
	// ID has the form "group/name". It is a contract with scripts and documentation.
	ID step.ID
	// Title says in a few words what holds, such as "worker nodes".
	Title string
	// Severity is Required unless said otherwise.
	Severity step.Severity
	// Needs are the prerequisites that must hold before Apply; After are those whose end it waits for. See step.Step.
	Needs, After []step.ID
	// Check reports whether it holds.
	Check kube.Check
	// Apply makes it hold; nil means only a user can.
	Apply Apply
	// Timeout bounds the step, including the waiting. Zero means only the run's own bound.
	Timeout time.Duration
	// Remove undoes Apply.
	Remove []Removal
	// RemovedWith is the prerequisite whose Remove takes along what this one wrote, where it has no Remove of its own.
	RemovedWith step.ID
	// Effects are what Apply, or the operator that it brings in or sets to work, does to the whole cluster.
	Effects []Effect
	// Rights are what its functions need of the API server.
	Rights Rights
	// TakesOver says what --take-over with the ID changes of what somebody else has decided, such as "sets wildcardPolicy
	// although it was set otherwise"; empty if that has no meaning.
	TakesOver string
	// Replaces are fields of others' objects that Apply may give another value, since an option names them or Check has
	// found that nobody decided on them. Each is the beginning of a path, such as "spec.plugins". Other values that
	// somebody else has set stay, unless the prerequisite is taken over.
	Replaces []string
	// Preflight is set where a hosted cluster that is about to be created may depend on it.
	Preflight *Preflight
}

// Apply makes it hold, or starts what will.
type Apply func(context.Context, *kube.Client) (step.Change, error)

// step is it as the engine calls it; nil stays nil.
func (a Apply) step(c *kube.Client) func(context.Context) (step.Change, error) {
	if a == nil {
		return nil
	}
	return func(ctx context.Context) (step.Change, error) { return a(ctx, c) }
}

// Removal is one step of what undoes a prerequisite. See step.Step.
type Removal struct {
	ID    step.ID
	Title string
	// Group is that of the prerequisite if empty.
	Group string
	// Needs are the removals that must hold before; After are those whose end it waits for, where they are asked for.
	Needs, After []step.ID
	// Check holds once it is gone.
	Check kube.Check
	// Apply removes it.
	Apply Apply
	// Timeout bounds the step. Zero means the usual one of a removal.
	Timeout time.Duration
}

// Rights are the rules that hcctl rbac prints, and that the check of permissions asks for.
type Rights struct {
	// Check is what Check reads.
	Check []access.Rule
	// Apply is what Apply needs beyond that, Remove what the steps of Remove need.
	Apply, Remove []access.Rule
}

// Preflight is how a prerequisite is checked before a hosted cluster is created.
type Preflight struct {
	// For reports whether the hosted cluster depends on it; nil means that every one does.
	For func(Wanted) bool
	// Check makes the check for this hosted cluster; nil means the prerequisite's own.
	Check func(Wanted) kube.Check
	// Required makes a failure of what is otherwise a warning: this very cluster would suffer.
	Required bool
}

// Group is the part of the ID that reports gather by, such as "load balancer".
func (p Prerequisite) Group() string { return strings.ReplaceAll(p.ID.Group(), "-", " ") }

// Page is its documentation, relative to the repository, such as "docs/checks/cluster-nodes.md".
func (p Prerequisite) Page() string {
	return "docs/checks/" + strings.ReplaceAll(string(p.ID), "/", "-") + ".md"
}

// Step is the prerequisite of a cluster as the engine runs it.
func (p Prerequisite) Step(c *kube.Client) step.Step {
	effects := p.Effects
	if p.Apply == nil {
		effects = nil // nothing is done
	}
	return step.Step{
		ID: p.ID, Title: p.Title, Group: p.Group(), Severity: p.Severity, Needs: p.Needs, After: p.After,
		Check: c.Reading(tellsDeleting(tellsEffects(p.Check, effects))), Apply: p.Apply.step(c), Timeout: p.Timeout,
		Docs: p.Page(),
	}
}

// Removal is what undoes it, as steps of uninstall.
func (p Prerequisite) Removal(c *kube.Client) []step.Step {
	steps := make([]step.Step, 0, len(p.Remove))
	for _, r := range p.Remove {
		steps = append(steps, step.Step{ID: r.ID, Title: r.Title, Group: cmp.Or(r.Group, p.Group()), Needs: r.Needs,
			After: r.After, Check: c.Reading(r.Check), Apply: r.Apply.step(c), Timeout: r.Timeout})
	}
	return steps
}

// Asked is the check of the preflight of the hosted cluster, and whether there is one. It is only looked at: it has
// neither needs nor Apply.
func (p Prerequisite) Asked(c *kube.Client, w Wanted) (step.Step, bool) {
	if p.Preflight == nil || p.Preflight.For != nil && !p.Preflight.For(w) {
		return step.Step{}, false
	}
	s := p.Step(c)
	s.Needs, s.After, s.Apply = nil, nil, nil
	if p.Preflight.Check != nil {
		s.Check = c.Reading(tellsDeleting(p.Preflight.Check(w)))
	}
	if p.Preflight.Required {
		s.Severity = step.Required
	}
	return s, true
}
