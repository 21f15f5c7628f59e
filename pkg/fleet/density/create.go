package density

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/step"
)

// existingClusters returns the clusters of the run that exist. It returns an error if another cluster has one of
// their names.
func (r *Run) existingClusters(ctx context.Context) (map[string]bool, error) {
	existing, err := hostedcluster.Clusters(ctx, r.client, r.record.Plan.Namespace)
	if err != nil {
		return nil, err
	}
	own, foreign := map[string]bool{}, []string{}
	for i := range existing {
		switch {
		case r.record.cluster(existing[i].Name) == nil:
		case existing[i].Labels[RunLabel] == r.record.Run:
			own[existing[i].Name] = true
			entry, at := r.record.cluster(existing[i].Name), existing[i].DeletionTimestamp
			if at != nil && entry.Deletion == nil {
				entry.Deletion = &Deletion{Begun: at.UTC()} // hcctl was killed before it recorded the start of the deletion
			}
		default:
			foreign = append(foreign, existing[i].Name)
		}
	}
	if len(foreign) > 0 {
		return nil, failure.New(failure.Other, hint.New("choose other names (%s), or another %s; clusters of another run "+
			"have the label %s", hint.Flag("name"), hint.Flag("namespace"), RunLabel),
			"hosted clusters of these names exist in namespace %s and are not those of run %s: %s", r.record.Plan.Namespace,
			r.record.Run, strings.Join(foreign, ", "))
	}
	return own, nil
}

// Prepare completes the template's options and samples the management cluster. It only reads, and returns what to
// create.
func (r *Run) Prepare(ctx context.Context) (*fleet.Apply, error) {
	existing, err := r.existingClusters(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range r.record.Clusters {
		if existing[c.Name] && c.State == Waiting { // the run continues by its label, without its record
			c.State = Begun
		}
		if c.State == Failed || c.State == Stopped {
			c.State, c.Why = Begun, ""
		}
	}
	r.record.Stop = nil // the reason of an earlier stop is evaluated anew
	wanted := make([]fleet.DesiredCluster, r.opt.Count)
	for i := range wanted {
		valid, err := r.opt.cluster(r.record.Run, i).Validate()
		if err != nil {
			return nil, err
		}
		wanted[i] = fleet.DesiredCluster{Options: valid}
	}
	const parallel = 16
	apply, err := fleet.PrepareApply(ctx, r.client, wanted, fleet.PrepareOptions{
		Parallel: parallel, SkipPreflight: r.opt.SkipPreflight,
		Engine: step.Options{Transient: kube.IsTransient, Explain: kube.Explain},
	})
	if err != nil {
		return nil, err
	}
	if err := r.opt.refusal(apply); err != nil {
		return nil, err
	}
	for _, m := range apply.Members {
		if m.Plan != nil {
			w := r.opt.Needs(m.Plan)
			d := cluster.Demand(w)
			r.need, r.needsAddress = Need{ControlPlane: d.Plane, Machines: d.Machines, Copies: d.Copies}, w.LoadBalancer
			r.record.Plan.Needs, r.record.Plan.Copies = r.need.all(), d.Copies
			break
		}
	}
	return apply, r.baseline(ctx)
}

// beginStep is the first step of each cluster.
const beginStep step.ID = "density/room"

// withBeginSteps returns the steps of all clusters. The first step of each cluster checks whether the management
// cluster can take it.
func (r *Run) withBeginSteps(steps []step.Step) []step.Step {
	var out []step.Step
	gate := map[string]step.ID{}
	for _, s := range steps {
		if gate[s.Subject] == "" {
			prefix, _, _ := strings.Cut(string(s.ID), "/")
			id := step.ID(prefix) + "/" + beginStep
			gate[s.Subject] = id
			out = append(out, step.Step{ID: id, Title: "room for it", Group: s.Group, Subject: s.Subject,
				Check: r.client.Reading(r.beginCheck(prefix))})
		}
		if len(s.Needs) == 0 {
			s.Needs = []step.ID{gate[s.Subject]}
		}
		out = append(out, s)
	}
	return out
}

// beginCheck returns the Check of a cluster's first step. After the run has stopped, no further cluster begins,
// and only the run reports why.
func (r *Run) beginCheck(name string) kube.Check {
	return func(ctx context.Context, reader kube.Reader) step.Finding {
		sign, err := r.begin(ctx, reader, r.record.cluster(name))
		var lost *unsavedError
		switch {
		case errors.As(err, &lost):
			return step.Broken("%s", err)
		case err != nil:
			return kube.Unknown(err).On("management cluster")
		case sign != nil:
			f := step.Unknown("not begun")
			f.Final = true
			return f
		}
		return step.OK("")
	}
}

// observe records milestones and deletions from the engine's events.
func (r *Run) observe(e step.Event) {
	name, id, _ := strings.Cut(string(e.Step.ID), "/")
	_, short, _ := strings.Cut(id, "/")
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.record.cluster(name)
	switch {
	case own == nil:
	case e.Phase == step.Applied && id == "objects/hosted-cluster" && e.Change == step.Created:
		at := e.Time.UTC()
		own.Written, own.createdHere = &at, true
		_ = r.save()
	case e.Phase == step.Finished && measured(short, false) &&
		id == string(follow.Reached{Name: short}.Step()) && e.Result.Outcome == step.OutcomeDone:
		// If the cluster existed before this process, the first check says nothing about when a milestone was reached. The
		// objects' conditions do.
		if own.Written != nil && (own.createdHere || e.Result.Change != step.Unchanged) {
			own.setMilestone(short, MilestoneTime{rounded(e.Time.Sub(*own.Written).Seconds()), observed})
			_ = r.save()
		}
	case e.Phase == step.Applied && strings.HasPrefix(id, "delete/"):
		if own.Deletion == nil { // the deletion begins with its first write
			own.Deletion = &Deletion{Begun: e.Time.UTC()}
			_ = r.save()
		}
	case e.Phase == step.Finished && strings.HasPrefix(id, "delete/") && e.Result.Outcome == step.OutcomeDone &&
		own.Deletion != nil && measured(short, true):
		own.Deletion.setPart(short, e.Time)
		_ = r.save()
	}
}

// setPart records when a part of a deletion ended.
func (d *Deletion) setPart(part string, at time.Time) {
	if _, known := d.Parts[part]; known {
		return
	}
	if d.Parts == nil {
		d.Parts = map[string]float64{}
	}
	d.Parts[part] = rounded(at.Sub(d.Begun).Seconds())
}

// recordCreated records the outcome of each cluster, and the milestones that this process missed.
func (r *Run) recordCreated(ctx context.Context, rep step.Report) {
	ends := endings(rep)
	for _, c := range r.record.Clusters {
		end, ran := ends[c.Name]
		r.mu.Lock()
		switch {
		case !ran || c.State == Waiting:
		case end.ok:
			c.State, c.Why = Complete, ""
		case r.record.Stop != nil && end.outcome == step.OutcomeInterrupted:
			c.State, c.Why = Stopped, ""
		case end.outcome != step.OutcomeInterrupted:
			c.State, c.Why = Failed, end.why
		}
		missed := ran && c.State != Waiting && !c.createdHere
		r.mu.Unlock()
		if missed {
			if err := addPastMilestones(ctx, r.client, r.record.Plan.Namespace, c); err != nil {
				r.notify("The milestones of %s that were missed cannot be looked up: %s", c.Name, kube.Explain(err))
			}
		}
	}
}

// ending is the outcome of one cluster.
type ending struct {
	ok      bool
	outcome step.Outcome
	why     string
}

// endings returns the outcomes of all clusters by name, which is the prefix of their steps' IDs.
func endings(rep step.Report) map[string]ending {
	bad := map[string][]step.Result{}
	out := map[string]ending{}
	for _, res := range rep.Results {
		name, _, _ := strings.Cut(string(res.Step.ID), "/")
		if !res.Good() {
			bad[name] = append(bad[name], res)
		}
		out[name] = ending{ok: true, outcome: step.OutcomeDone}
	}
	for name, results := range bad {
		failed := &step.RunError{Results: results}
		e := ending{outcome: failed.Worst()}
		for _, res := range results {
			if res.Outcome == e.outcome {
				e.why = res.Line()
				break
			}
		}
		out[name] = e
	}
	return out
}
