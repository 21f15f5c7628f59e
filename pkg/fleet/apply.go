package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// DesiredCluster is a hosted cluster to create.
type DesiredCluster struct {
	Options options.Validated
	// Environment is the environment of the fleet's file that has the cluster; empty for none.
	Environment string
	// Adjust lists what to change in existing pools, by their index.
	Adjust map[int]creation.Adjust
}

// Member is one cluster of a fleet.
type Member struct {
	Namespace, Name string
	// Err is why the cluster could not be prepared. Nothing happens to it then.
	Err error
	// Plan is how to create the cluster; nil if there is nothing to create.
	Plan *creation.Plan
	// Warnings are the warnings of the cluster's preflight.
	Warnings []step.Result
	// Refused are the failed checks of the cluster's preflight. Its steps only report them.
	Refused []step.Result
	// LeftAlone lists what exists, differs from the request, and stays unchanged (creation.Plan.LeftAlone).
	LeftAlone []step.Finding
	steps     []step.Step
}

// Subject returns the name of the cluster in steps, events and tables, such as "clusters/kv-00".
func (m Member) Subject() string { return m.Namespace + "/" + m.Name }

// Apply is many clusters to create.
type Apply struct{ Members []Member }

// PrepareOptions are the options of PrepareApply.
type PrepareOptions struct {
	// Parallel is the maximum number of clusters that are prepared at the same time.
	Parallel int
	// SkipPreflight lists preflight checks to skip, by ID or group, or "all".
	SkipPreflight []string
	// Exact makes PrepareApply fail if an existing object of any cluster differs from the request.
	Exact bool
	// Engine classifies transient errors for the engine.
	Engine step.Options
	// Planner is the client for planned steps, which must not record the dry runs of the preparation. Nil means
	// the preparing client.
	Planner *kube.Client
}

// PrepareApply completes the options of each cluster and checks whether it can be created. It only reads, and reads
// shared objects once.
//
// A problem of one cluster is in its Member. The error concerns all: HyperShift is not installed, or ctx has ended.
func PrepareApply(ctx context.Context, c *kube.Client, wanted []DesiredCluster, opt PrepareOptions) (*Apply, error) {
	a := &Apply{Members: make([]Member, len(wanted))}
	once, prepare := informer.NewCache(ctx), creation.Prepare
	if opt.Planner == nil && slices.Contains(opt.SkipPreflight, "all") {
		prepare = creation.PrepareUnchecked
	}
	kube.Parallelize(len(wanted), opt.Parallel, func(i int) {
		m := Member{Namespace: wanted[i].Options.Namespace, Name: wanted[i].Options.Name}
		m.Plan, m.Err = prepare(ctx, c, once, wanted[i].Options)
		if m.Err == nil && wanted[i].Environment != "" {
			m.Err = m.Plan.InEnvironment()
		}
		if m.Err == nil {
			m.Plan.Adjust = wanted[i].Adjust
			m.Err = m.Plan.KeepPatches(ctx, once)
		}
		if m.Err == nil {
			m.preflight(ctx, once, opt)
			m.LeftAlone = m.Plan.LeftAlone(ctx, once)
		}
		if m.Err == nil && len(m.Refused) == 0 && opt.Planner != nil {
			m.steps = m.Plan.For(opt.Planner).Steps()
		}
		a.Members[i] = m
	})
	a.refuseSharedNamespaces(wanted)
	if !slices.ContainsFunc(opt.SkipPreflight, creation.SkipsPublished) {
		a.refuseSharedNames()
	}
	if err := commonError(ctx, a.Members); err != nil || !opt.Exact {
		return a, err
	}
	return a, a.exact(ctx, once, opt.Parallel)
}

// exact joins the errors about existing objects that differ from the request.
func (a *Apply) exact(ctx context.Context, once *informer.Cache, parallel int) error {
	errs := make([]error, len(a.Members))
	kube.Parallelize(len(a.Members), parallel, func(i int) {
		if m := a.Members[i]; m.Err == nil {
			errs[i] = m.Plan.Exact(ctx, once)
		}
	})
	return errors.Join(errs...)
}

// refuseSharedNamespaces sets an error on clusters whose control plane would be in the namespace for the
// services of another cluster of the fleet, such as kv-00-services beside kv-00 with a jump host.
func (a *Apply) refuseSharedNamespaces(wanted []DesiredCluster) {
	services := map[string]string{}
	for _, w := range wanted {
		if s := w.Options.TenantServices; s.JumpHost != nil || s.Dex != nil {
			at := hostedcluster.ServicesNamespace(w.Options.Namespace, w.Options.Name)
			services[at] = w.Options.Namespace + "/" + w.Options.Name
		}
	}
	for i := range a.Members {
		m := &a.Members[i]
		at := hostedcluster.ControlPlaneNamespace(m.Namespace, m.Name)
		if of := services[at]; of != "" && m.Err == nil {
			m.steps, m.Refused = nil, nil
			m.Err = options.Errorf("name", m.Name, "its control plane would be in Namespace %s, which is for the services of "+
				"%s", at, of)
		}
	}
}

// refuseSharedNames sets an error on new clusters that request a name or a node port of an earlier cluster.
func (a *Apply) refuseSharedNames() {
	var before []*hyperv1.HostedCluster
	for i := range a.Members {
		m := &a.Members[i]
		if m.Err != nil {
			continue
		}
		wanted, hc := m.Plan.Published()
		if hc == nil {
			continue
		}
		for _, other := range before {
			if taken := hostedcluster.TakenBy(wanted, other); taken != nil && m.Err == nil {
				m.steps, m.Refused, m.Err = nil, nil, taken
			}
		}
		before = append(before, hc)
	}
}

// preflight sets the steps that create the cluster, or those that report why it cannot be created.
func (m *Member) preflight(ctx context.Context, once *informer.Cache, opt PrepareOptions) {
	m.steps = m.Plan.Steps()
	preflight := slices.DeleteFunc(m.Plan.Preflight(), func(s step.Step) bool {
		return slices.ContainsFunc([]string{"all", string(s.ID), s.ID.Group()}, func(name string) bool {
			return slices.Contains(opt.SkipPreflight, name)
		})
	})
	graph, err := step.New(preflight...)
	if err != nil {
		m.Err = err
		return
	}
	engine := opt.Engine
	engine.ReadCache = func(context.Context) step.Reads { return once }
	report := graph.Check(ctx, engine)
	var bad []step.Step
	for _, res := range report.Results {
		switch {
		case res.Outcome == step.OutcomeWarned:
			m.Warnings = append(m.Warnings, res)
		case !res.Good():
			m.Refused = append(m.Refused, res)
			bad = append(bad, step.Step{ID: res.Step.ID, Title: res.Step.Title, Docs: res.Step.Docs,
				Check: func(context.Context, step.Reads) step.Finding { return asFinal(res.Finding) }})
		}
	}
	if len(bad) > 0 {
		m.steps = bad
	}
}

// asFinal returns a finding that is not checked again.
func asFinal(f step.Finding) step.Finding {
	f.Final = true
	return f
}

// New returns the members that do not exist yet and can be created.
func (a *Apply) New() []Member {
	return slices.DeleteFunc(slices.Clone(a.Members), func(m Member) bool {
		return m.Err != nil || len(m.Plan.Preflight()) == 0
	})
}

// Steps returns the steps of all clusters.
func (a *Apply) Steps() []step.Step { return stepsOf(a.Members) }

// commonError returns an error that concerns all members.
func commonError(ctx context.Context, members []Member) error {
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

// stepsOf returns the steps of all members. Their IDs begin with the cluster's name, or with "namespace.name" if the
// name is not unique.
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
			steps = []step.Step{{ID: "prepare", Title: "can be prepared", Check: failedCheck(m.Err)}}
		}
		for _, s := range steps {
			all = append(all, forSubject(m.Subject(), prefix, s))
		}
	}
	return all
}

// forSubject makes a step a step of the cluster: it prefixes the IDs and sets the subject.
func forSubject(subject, prefix string, s step.Step) step.Step {
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

// failedCheck returns the Check of a cluster that could not be prepared.
func failedCheck(err error) func(context.Context, step.Reads) step.Finding {
	return func(context.Context, step.Reads) step.Finding {
		f := notPrepared(err)("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		f.Final = true
		f.Hint = failure.Hint(err)
		return f
	}
}

// notPrepared returns the kind of finding for an error: missing for an object that does not exist yet, broken
// for a refusal, and unknown for all else.
func notPrepared(err error) func(string, ...any) step.Finding {
	switch failure.Of(err) {
	case failure.Other:
		return step.Unknown
	case failure.Missing:
		return step.Missing
	case failure.Misused, failure.Final, failure.Declined:
	}
	return step.Broken
}
