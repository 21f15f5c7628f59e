package density

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/step"
)

// Engine runs a graph and shows it. shape sets the engine's options for the run.
type Engine func(ctx context.Context, heading string, g *step.Graph, shape func(*step.Options)) (step.Report, error)

// Create creates the clusters and follows each as far as the template says, until all have ended or a stop rule
// ends the run. Failed clusters are in the report and the record; the error is about output, the record or ctx.
func (r *Run) Create(ctx context.Context, apply *fleet.Apply, engine Engine) (step.Report, error) {
	graph, err := step.New(r.withBeginSteps(apply.Steps())...)
	if err != nil {
		return step.Report{}, err
	}
	r.mu.Lock()
	err = r.save()
	r.mu.Unlock()
	if err != nil {
		return step.Report{}, err
	}
	guarded, done := r.monitor(ctx)
	heading := fmt.Sprintf("Creating %s, run %s", plural.Count(r.opt.Count, "hosted cluster"), r.record.Run)
	rep, err := engine(guarded, heading, graph, r.configure)
	done()
	if err != nil {
		return rep, err
	}
	finalCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalTimeout)
	defer cancel()
	if ctx.Err() == nil {
		r.recordCreated(finalCtx, rep)
		r.sampleNow(finalCtx)
		now := time.Now().UTC()
		r.mu.Lock()
		r.record.Created = &now
		r.record.setObjects(countObjects(finalCtx, r.client, "created"))
		r.record.Phase = Deleting
		if r.opt.Keep {
			r.record.Phase = Kept
		}
		r.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.save(); err != nil {
		return rep, err
	}
	return rep, ctx.Err()
}

// finalTimeout bounds the reads at the end of a run.
const finalTimeout = time.Minute

// configure sets the engine's options for a stage.
func (r *Run) configure(o *step.Options) {
	o.Subjects, o.SubjectTimeout, o.TroubleTimeout = r.opt.Parallel, r.opt.Timeout, r.opt.TroubleTimeout
	show := o.Observe
	o.Observe = func(e step.Event) {
		r.observe(e)
		if show != nil {
			show(e)
		}
	}
}

// Delete deletes the clusters of the run, and no others, and measures the deletion. The error is about reading,
// output, the record or ctx.
func (r *Run) Delete(ctx context.Context, engine Engine) (step.Report, error) {
	existing, err := r.existingClusters(ctx)
	if err != nil {
		return step.Report{}, err
	}
	if r.record.Baseline == nil {
		if err := r.baseline(ctx); err != nil {
			return step.Report{}, err
		}
	}
	left := map[string]bool{}
	for _, name := range r.Remaining() {
		left[name] = true
	}
	var names []fleet.ClusterName
	for _, c := range r.record.Clusters {
		if existing[c.Name] || left[c.Name] {
			names = append(names, fleet.ClusterName{Namespace: r.record.Plan.Namespace, Name: c.Name})
		}
	}
	const parallel = 16
	opt, err := deletion.Defaults().Together(ctx, r.client, r.record.Plan.Namespace)
	if err != nil {
		return step.Report{}, err
	}
	del, err := fleet.PrepareEach(ctx, names, parallel, func(one fleet.ClusterName) ([]step.Step, error) {
		d, err := deletion.Prepare(ctx, r.client, one.Namespace, one.Name, opt)
		if err != nil {
			return nil, err
		}
		return d.Steps(), nil
	})
	if err != nil {
		return step.Report{}, err
	}
	for _, absent := range del.TakeAbsent() {
		r.record.cluster(absent.Name).markGone(nil)
	}
	graph, err := step.New(del.Steps()...)
	if err != nil {
		return step.Report{}, err
	}
	r.mu.Lock()
	r.record.Phase = Deleting
	err = r.save()
	r.mu.Unlock()
	if err != nil || len(del.Members) == 0 {
		return step.Report{}, err
	}
	guarded, done := r.monitor(ctx)
	rep, err := engine(guarded, fmt.Sprintf("Deleting %s of run %s", plural.Count(len(del.Members), "hosted cluster"),
		r.record.Run),
		graph, func(o *step.Options) {
			r.configure(o)
			o.TroubleTimeout = 0 // a deletion has no limit for one problem: it reports what blocks it, and waits
		})
	done()
	if err != nil {
		return rep, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recordDeleted(rep)
	if err := r.save(); err != nil {
		return rep, err
	}
	return rep, ctx.Err()
}

// recordDeleted records which clusters are deleted. The caller holds mu.
func (r *Run) recordDeleted(rep step.Report) {
	last := map[string]time.Time{}
	for _, res := range rep.Results {
		name, _, _ := strings.Cut(string(res.Step.ID), "/")
		if end := res.Begun.Add(res.Elapsed); !res.Begun.IsZero() && end.After(last[name]) {
			last[name] = end
		}
	}
	for name, end := range endings(rep) {
		own := r.record.cluster(name)
		switch at := last[name]; {
		case own == nil:
		case end.ok:
			own.markGone(&at)
		case end.outcome != step.OutcomeInterrupted && own.Deletion != nil:
			own.Deletion.Why = end.why
		}
	}
}

// markGone records that nothing is left of a cluster. at is when that was observed, or nil.
func (c *ClusterTimes) markGone(at *time.Time) {
	if c.State == Waiting {
		return
	}
	if c.Deletion == nil {
		c.Deletion = &Deletion{Begun: time.Now().UTC(), Gone: true}
		return
	}
	c.Deletion.Gone, c.Deletion.Why = true, ""
	if at != nil {
		c.Deletion.setPart(wholeDeletion, *at)
	}
}

// Finish writes the results: the record, kube-burner's documents and the chart page.
func (r *Run) Finish(ctx context.Context) error {
	finalCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalTimeout)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	ok := r.record.Stop == nil
	left := 0
	for _, c := range r.record.Clusters {
		ok = ok && c.State == Complete
		if c.State != Waiting && (c.Deletion == nil || !c.Deletion.Gone) {
			left++
		}
	}
	if r.record.Phase == Deleting && left == 0 {
		r.record.setObjects(countObjects(finalCtx, r.client, "deleted"))
		r.record.Phase = Done
	}
	now := time.Now().UTC()
	r.record.Ended, r.record.OK = &now, ok && r.record.Phase != Deleting
	if err := r.save(); err != nil {
		return err
	}
	return r.results()
}

// results writes the files that are made from the record. The caller holds mu.
func (r *Run) results() error {
	for name, documents := range burnerFiles(r.record) {
		data, err := encoded(documents)
		if err != nil {
			return err
		}
		if err := r.directory.write(name, data); err != nil {
			return err
		}
	}
	return r.directory.write(ChartFile, []byte(chartPage(r.record)))
}
