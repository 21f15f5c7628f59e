package prereq

import (
	"context"
	"strings"
	"time"

	"github.com/hcctl/hcctl/pkg/rbac/rule"
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
	// Check tells whether it holds. It only reads.
	Check func(context.Context) step.Finding
	// Apply makes it hold; nil means only a person can.
	Apply func(context.Context) (step.Change, error)
	// Timeout bounds the step, including the waiting. Zero means only the run's own bound.
	Timeout time.Duration
	// Remove undoes Apply. A step without a Group gets the prerequisite's.
	Remove []step.Step
	// RemovedWith is the prerequisite whose Remove takes along what this one wrote, where it has no Remove of its own.
	RemovedWith step.ID
	// Rights are what its functions need of the API server.
	Rights Rights
	// Preflight is set where a hosted cluster that is about to be created may depend on it.
	Preflight *Preflight
}

// Rights are the rules that hcctl rbac prints, and that the check of permissions asks for.
type Rights struct {
	// Check is what Check reads.
	Check []rule.Rule
	// Apply is what Apply needs beyond that, Remove what the steps of Remove need.
	Apply, Remove []rule.Rule
}

// Preflight is how a prerequisite is checked before a hosted cluster is created.
type Preflight struct {
	// For tells whether the hosted cluster depends on it; nil means that every one does.
	For func(Wanted) bool
	// Check makes the check for this hosted cluster; nil means the prerequisite's own.
	Check func(Wanted) func(context.Context) step.Finding
	// Required makes a failure of what is otherwise a warning: this very cluster would suffer.
	Required bool
}

// Group is the part of the ID that reports gather by, such as "load balancer".
func (p Prerequisite) Group() string { return strings.ReplaceAll(p.ID.Group(), "-", " ") }

// Page is its documentation, relative to the repository, such as "docs/checks/cluster-nodes.md".
func (p Prerequisite) Page() string {
	return "docs/checks/" + strings.ReplaceAll(string(p.ID), "/", "-") + ".md"
}

// Step is the prerequisite as the engine runs it.
func (p Prerequisite) Step() step.Step {
	return step.Step{
		ID: p.ID, Title: p.Title, Group: p.Group(), Severity: p.Severity, Needs: p.Needs, After: p.After,
		Check: p.Check, Apply: p.Apply, Timeout: p.Timeout, Docs: p.Page(),
	}
}

// Removal is what undoes it, as steps of uninstall.
func (p Prerequisite) Removal() []step.Step {
	steps := make([]step.Step, 0, len(p.Remove))
	for _, s := range p.Remove {
		if s.Group == "" {
			s.Group = p.Group()
		}
		steps = append(steps, s)
	}
	return steps
}

// Asked is the check of the preflight of the hosted cluster, and whether there is one. It is only looked at: it has
// neither needs nor Apply.
func (p Prerequisite) Asked(w Wanted) (step.Step, bool) {
	if p.Preflight == nil || p.Preflight.For != nil && !p.Preflight.For(w) {
		return step.Step{}, false
	}
	s := p.Step()
	s.Needs, s.After, s.Apply = nil, nil, nil
	if p.Preflight.Check != nil {
		s.Check = p.Preflight.Check(w)
	}
	if p.Preflight.Required {
		s.Severity = step.Required
	}
	return s, true
}
