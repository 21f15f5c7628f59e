package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Wanted is a hosted cluster as it is to be.
type Wanted struct {
	Options options.Cluster
	// Adjust says what is brought to that of the pools that are there already, by their place.
	Adjust map[int]creation.Adjust
}

// Member is one cluster of a fleet.
type Member struct {
	Namespace, Name string
	// Err is why it could not be prepared; nothing is done about it then.
	Err error
	// Plan is how it is created; nil unless it is prepared to be.
	Plan *creation.Plan
	// Warnings are what should be known before it is created.
	Warnings []step.Result
	steps    []step.Step
	// refused is whether the steps only say why it cannot be created.
	refused bool
}

// Subject names it in steps, events and tables, such as "clusters/kv-00".
func (m Member) Subject() string { return m.Namespace + "/" + m.Name }

// Apply is many clusters that are to be.
type Apply struct{ Members []Member }

// Look says how PrepareApply looks at the clusters.
type Look struct {
	// Parallel is how many are looked at side by side.
	Parallel int
	// SkipPreflight are the checks of a single cluster that are left out, by ID or group; with "all" there are none.
	SkipPreflight []string
	// Engine has how the engine tells errors that heal.
	Engine step.Options
	// Planner is the client that the steps are made for where they are only planned: it must not see what the looking
	// tries out. Nil is the one that looks.
	Planner *kube.Client
}

// PrepareApply resolves what the options of each leave open, and looks whether it can be created, reading only. What
// they share, such as the release and the management cluster's pull secret, is read once. What is wrong with one
// cluster is its own; the error is about what concerns all: HyperShift is not installed, or ctx has ended.
func PrepareApply(ctx context.Context, c *kube.Client, wanted []Wanted, look Look) (*Apply, error) {
	a := &Apply{Members: make([]Member, len(wanted))}
	once, prepare := kube.ReadOnce(ctx), creation.Prepare
	if look.Planner == nil && slices.Contains(look.SkipPreflight, "all") {
		prepare = creation.PrepareUnchecked
	}
	kube.Parallelize(len(wanted), look.Parallel, func(i int) {
		m := Member{Namespace: wanted[i].Options.Namespace, Name: wanted[i].Options.Name}
		m.Plan, m.Err = prepare(once, c, wanted[i].Options)
		if m.Err == nil {
			m.Plan.Adjust = wanted[i].Adjust
			m.look(once, look)
		}
		if m.Err == nil && !m.refused && look.Planner != nil {
			m.steps = m.Plan.For(look.Planner).Steps()
		}
		a.Members[i] = m
	})
	return a, common(ctx, a.Members)
}

// look makes the steps of a cluster: those that create it, or, if it cannot be created, those that say why.
func (m *Member) look(ctx context.Context, look Look) {
	m.steps = m.Plan.Steps()
	preflight := slices.DeleteFunc(m.Plan.Preflight(), func(s step.Step) bool {
		return slices.ContainsFunc([]string{"all", string(s.ID), s.ID.Group()}, func(name string) bool {
			return slices.Contains(look.SkipPreflight, name)
		})
	})
	graph, err := step.New(preflight...)
	if err != nil {
		m.Err = err
		return
	}
	report := graph.Check(ctx, look.Engine)
	var bad []step.Step
	for _, res := range report.Results {
		switch {
		case res.Outcome == step.OutcomeWarned:
			m.Warnings = append(m.Warnings, res)
		case !res.Good():
			bad = append(bad, step.Step{ID: res.Step.ID, Title: res.Step.Title, Docs: res.Step.Docs,
				Check: func(context.Context) step.Finding { return final(res.Finding) }})
		}
	}
	if len(bad) > 0 {
		m.steps, m.refused = bad, true
	}
}

// final is a finding that is not asked for again.
func final(f step.Finding) step.Finding {
	f.Final = true
	return f
}

// New are the members that are not there yet and can be created.
func (a *Apply) New() []Member {
	return slices.DeleteFunc(slices.Clone(a.Members), func(m Member) bool {
		return m.Err != nil || len(m.Plan.Preflight()) == 0
	})
}

// Steps are those of all clusters.
func (a *Apply) Steps() []step.Step { return stepsOf(a.Members) }

// common is what is wrong with all of them alike.
func common(ctx context.Context, members []Member) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var uninstalled *hostedcluster.NotInstalledError
	for _, m := range members {
		if errors.As(m.Err, &uninstalled) {
			return uninstalled
		}
	}
	return nil
}

// stepsOf are the steps of all members. The IDs begin with the cluster's name, or with "namespace.name" where two have
// the same.
func stepsOf(members []Member) []step.Step {
	names := map[string]int{}
	for _, m := range members {
		names[m.Name]++
	}
	var all []step.Step
	for _, m := range members {
		prefix := m.Name
		if names[m.Name] > 1 {
			prefix = m.Namespace + "." + m.Name
		}
		steps := m.steps
		if m.Err != nil {
			steps = []step.Step{{ID: "prepare", Title: "can be prepared", Check: refusal(m.Err)}}
		}
		for _, s := range steps {
			all = append(all, of(m.Subject(), prefix, s))
		}
	}
	return all
}

// of makes a step one of the cluster that subject names.
func of(subject, prefix string, s step.Step) step.Step {
	under := func(ids []step.ID) []step.ID {
		out := make([]step.ID, len(ids))
		for i, id := range ids {
			out[i] = step.ID(prefix) + "/" + id
		}
		return out
	}
	s.ID, s.Needs, s.After = step.ID(prefix)+"/"+s.ID, under(s.Needs), under(s.After)
	s.Group, s.Subject = subject, subject
	return s
}

// refusal is the check of a cluster that could not be prepared.
func refusal(err error) func(context.Context) step.Finding {
	return func(context.Context) step.Finding {
		f := step.Broken("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		var with interface{ Hint() string }
		if errors.As(err, &with) {
			f.Hint = with.Hint()
		}
		return f
	}
}
