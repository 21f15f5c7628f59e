package density

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs"
)

const (
	apiVersion = "hcctl.dev/v1alpha1"
	recordKind = "DensityReport"
)

// Run is one run, new or taken up again.
type Run struct {
	// Resumed is set where the folder had its record already.
	Resumed bool
	// Tell is told what a person should know at once; nil is nobody.
	Tell func(string)

	opt    Options
	client *kube.Client
	meter  *kube.Meter
	folder *folder
	need   Need
	// balanced is whether each cluster takes an address of the load balancer.
	balanced bool

	// mu guards the record and what follows; asking is held by who asks for room, so that two do not get the same.
	mu, asking sync.Mutex
	record     *Record
	last       *Sample
	stop       func()
	begunAt    map[string]time.Time
	unsaved    error
	sentBefore Requests
}

// Open begins a run, or takes up the one that the folder has. meter counts the client's requests. The folder is kept
// from every other hcctl until Close. It fails where the folder has another run, or one that is over. Of a run that is
// only looked at nothing is written, the folder included.
func Open(ctx context.Context, opt Options, c *kube.Client, meter *kube.Meter, only bool) (*Run, error) {
	f := &folder{path: opt.Out}
	if !only {
		var err error
		if f, err = openFolder(ctx, opt.Out); err != nil {
			return nil, err
		}
		f.sweep()
	}
	r := &Run{opt: opt, client: c, meter: meter, folder: f, begunAt: map[string]time.Time{}}
	if err := r.load(); err != nil {
		f.close()
		return nil, err
	}
	return r, nil
}

// Close lets go of the folder.
func (r *Run) Close() { r.folder.close() }

// ID is the run's.
func (r *Run) ID() string { return r.record.Run }

// Record is what is known of the run. It must not be changed.
func (r *Run) Record() *Record { return r.record }

func (r *Run) load() error {
	sum, err := digest(r.opt.Template)
	if err != nil {
		return err
	}
	plan := Plan{
		Count: r.opt.Count, Parallel: r.opt.Parallel, Name: r.opt.Name, Namespace: r.opt.Template.Namespace,
		Wait: string(r.opt.Template.Wait), Keep: r.opt.Keep, Template: sum,
		Limits: r.opt.Limits, PendingGrace: r.opt.Limits.PendingGrace.Seconds(), Interval: r.opt.Limits.Interval.Seconds(),
	}
	if r.record, err = r.folder.read(); err != nil {
		return err
	}
	if r.record == nil {
		r.record = fresh(r.opt, plan)
		return nil
	}
	r.Resumed = true
	if err := resumable(r.opt, r.record, plan); err != nil {
		return err
	}
	r.sentBefore = r.record.Requests
	plan.Needs, plan.Copies = r.record.Plan.Needs, r.record.Plan.Copies
	r.record.Plan, r.record.Cluster = plan, r.opt.Where
	r.record.Resumed++
	return nil
}

// fresh is the record of a run that has not begun.
func fresh(opt Options, plan Plan) *Record {
	id := opt.Run
	if id == "" {
		id = string(uuid.NewUUID())
	}
	rec := &Record{
		APIVersion: apiVersion, Kind: recordKind, Run: id, Phase: Creating, Cluster: opt.Where, Started: time.Now().UTC(),
		Plan:       plan,
		Milestones: []Quantiles{}, Deletion: []Quantiles{}, Objects: []Objects{}, Samples: []Point{},
		Peak: Peak{Nodes: []Node{}},
	}
	for i := range opt.Count {
		rec.Clusters = append(rec.Clusters, &ClusterTimes{Name: NameOf(opt.Name, i), State: Waiting})
	}
	return rec
}

// resumable refuses to go on with a run that was another, or is over.
func resumable(opt Options, rec *Record, plan Plan) error {
	var differs []string
	add := func(flag string, is, asked any) {
		if is != asked {
			differs = append(differs, fmt.Sprintf("%s %v, asked for %v", flag, is, asked))
		}
	}
	if opt.Run != "" {
		add("--run", rec.Run, opt.Run)
	}
	add("--count", rec.Plan.Count, plan.Count)
	add("--name", rec.Plan.Name, plan.Name)
	add("--namespace", rec.Plan.Namespace, plan.Namespace)
	add("--wait", rec.Plan.Wait, plan.Wait)
	if rec.Plan.Template != plan.Template && len(differs) == 0 {
		differs = append(differs, "another template (the options of its clusters, or what is in files that they name)")
	}
	switch {
	case len(differs) > 0:
		return &otherRunError{opt.Out, "it has a run that was begun with " + strings.Join(differs, ", ")}
	case rec.Phase == Done, rec.Phase == Kept && opt.Keep:
		return &otherRunError{opt.Out, fmt.Sprintf("its run %s is over", rec.Run)}
	}
	return nil
}

// otherRunError means that the folder has a run that this is not.
type otherRunError struct{ path, why string }

func (e *otherRunError) Error() string { return fmt.Sprintf("--out %s: %s", e.path, e.why) }

// Hint is what to do.
func (*otherRunError) Hint() string {
	return "give another --out for a new run; the same flags go on with one that is not over"
}

// planeOf is the namespace of a cluster's control plane.
func (r *Record) planeOf(c *ClusterTimes) string {
	return hostedcluster.ControlPlaneNamespace(r.Plan.Namespace, c.Name)
}

// save writes the record. The caller holds mu. What cannot be written ends the run where it would be lost: see begin.
func (r *Run) save() error {
	r.record.sumUp()
	r.record.Requests = r.sentBefore.plus(r.meter)
	data, err := encoded(r.record)
	if err == nil {
		err = r.folder.write(RecordFile, data)
	}
	r.unsaved = err
	return err
}

func (q Requests) plus(m *kube.Meter) Requests {
	now := m.Counts()
	out := Requests{Total: q.Total + now.Total, Throttled: q.Throttled + now.Throttled, Failed: q.Failed + now.Failed,
		ByVerb: map[string]int64{}}
	for verb, n := range q.ByVerb {
		out.ByVerb[verb] += n
	}
	for verb, n := range now.ByVerb {
		out.ByVerb[verb] += n
	}
	return out
}

func (r *Run) tell(format string, args ...any) {
	if r.Tell != nil {
		r.Tell(fmt.Sprintf(format, args...))
	}
}

// baseline looks at the management cluster before the first cluster is begun. A run that is taken up again keeps its
// own.
func (r *Run) baseline(ctx context.Context) error {
	s, err := look(ctx, r.client)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = s
	if r.record.Baseline == nil {
		clusters, err := hostedcluster.Clusters(ctx, r.client, "")
		if err != nil {
			return err
		}
		others := int64(0)
		for i := range clusters {
			if clusters[i].Labels[RunLabel] != r.record.Run {
				others++
			}
		}
		most, err := prereqs.MostClusters(ctx, r.client)
		if err != nil {
			return err
		}
		r.record.Baseline = baselineOf(s, others, most)
		r.record.counts(countObjects(ctx, r.client, "before"))
	}
	return nil
}

// Left are the clusters of the run that may exist: those that have been begun and are not known to be gone.
func (r *Run) Left() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, c := range r.record.Clusters {
		if c.State != Waiting && (c.Deletion == nil || !c.Deletion.Gone) {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}
