package density

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/step"
)

const recordKind = "DensityReport"

// Run is one run, new or continued.
type Run struct {
	// Resumed is set if the directory had a record.
	Resumed bool
	// Notify gets messages that the user should see at once; it may be nil.
	Notify func(string)

	opt       Options
	client    *kube.Client
	meter     *kube.Meter
	directory *directory
	need      Need
	// needsAddress is set if each cluster takes an address of the load balancer.
	needsAddress bool

	// mu guards the record and the fields below. beginMu makes clusters begin one at a time, so that no two get
	// the same room.
	mu, beginMu sync.Mutex
	record      *Record
	last        *Sample
	stop        func()
	begunAt     map[string]time.Time
	unsaved     error
	sentBefore  Requests
}

// Open starts a run, or continues the run of the directory; meter counts the client's requests. It locks the
// directory until Close, unless readOnly is set. It returns an error if the directory has another run or a
// finished one.
func Open(ctx context.Context, opt Options, c *kube.Client, meter *kube.Meter, readOnly bool) (*Run, error) {
	f := &directory{path: opt.Out}
	if !readOnly {
		var err error
		if f, err = openDirectory(ctx, opt.Out); err != nil {
			return nil, err
		}
		f.sweep()
	}
	r := &Run{opt: opt, client: c, meter: meter, directory: f, begunAt: map[string]time.Time{}}
	if err := r.load(); err != nil {
		f.close()
		return nil, err
	}
	return r, nil
}

// Close unlocks the directory.
func (r *Run) Close() { r.directory.close() }

// ID returns the ID of the run.
func (r *Run) ID() string { return r.record.Run }

// Record returns the record of the run. Do not change it.
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
	if r.opt.compares() {
		plan.EtcdClasses = r.opt.EtcdClasses
	}
	if r.record, err = r.directory.read(); err != nil {
		return err
	}
	if r.record == nil {
		r.record = newRecord(r.opt, plan)
		return nil
	}
	r.Resumed = true
	if err := resumable(r.opt, r.record, plan); err != nil {
		return err
	}
	r.sentBefore = r.record.Requests
	plan.Needs, plan.Copies = r.record.Plan.Needs, r.record.Plan.Copies
	r.record.Plan, r.record.Cluster = plan, r.opt.ManagementCluster
	r.record.Resumed++
	return nil
}

// newRecord returns the record of a new run.
func newRecord(opt Options, plan Plan) *Record {
	id := opt.Run
	if id == "" {
		id = string(uuid.NewUUID())
	}
	rec := &Record{
		TypeMeta: step.NewTypeMeta(recordKind), Run: id, Phase: Creating, Cluster: opt.ManagementCluster,
		Started:   time.Now().UTC(),
		Plan:      plan,
		Quantiles: []Quantiles{}, Objects: []Objects{}, Samples: []Point{},
		Peak: Peak{Nodes: []Node{}},
	}
	for i := range opt.Count {
		rec.Clusters = append(rec.Clusters,
			&ClusterTimes{Name: NameOf(opt.Name, i), State: Waiting, EtcdClass: opt.etcdClass(i)})
	}
	return rec
}

// resumable returns an error if the record is that of another run or of a finished one.
func resumable(opt Options, rec *Record, plan Plan) error {
	var differs []string
	add := func(flag string, recorded, requested any) {
		if recorded != requested {
			differs = append(differs, fmt.Sprintf("%s %v, asked for %v", flag, recorded, requested))
		}
	}
	if opt.Run != "" {
		add(hint.Flag("run").String(), rec.Run, opt.Run)
	}
	add(hint.Flag("count").String(), rec.Plan.Count, plan.Count)
	add(hint.Flag("name").String(), rec.Plan.Name, plan.Name)
	add(hint.Flag("namespace").String(), rec.Plan.Namespace, plan.Namespace)
	add(hint.Flag("wait").String(), rec.Plan.Wait, plan.Wait)
	classes := func(p Plan) string { return cmp.Or(strings.Join(p.EtcdClasses, ","), "one class") }
	add(hint.Flag("etcd-storage-class").String(), classes(rec.Plan), classes(plan))
	if rec.Plan.Template != plan.Template && len(differs) == 0 {
		differs = append(differs, fmt.Sprintf("another template (%s, or what is in files that it names)", hint.Flag("file")))
	}
	switch {
	case len(differs) > 0:
		return otherRun(opt.Out, "it has a run that was begun with "+strings.Join(differs, ", "))
	case rec.Phase == Done, rec.Phase == Kept && opt.Keep:
		return otherRun(opt.Out, fmt.Sprintf("its run %s is over", rec.Run))
	}
	return nil
}

// otherRun returns the error for a directory that has another run.
func otherRun(path, why string) error {
	return failure.New(failure.Other,
		hint.New("give another %s for a new run; the same flags continue one that is not over",
			hint.Flag("out")), "%s %s: %s", hint.Flag("out"), path, why)
}

// controlPlaneOf returns the namespace of a cluster's control plane.
func (r *Record) controlPlaneOf(c *ClusterTimes) string {
	return hostedcluster.ControlPlaneNamespace(r.Plan.Namespace, c.Name)
}

// save writes the record. The caller holds mu; if it fails, no further cluster begins.
func (r *Run) save() error {
	r.record.sumUp()
	r.record.Requests = r.sentBefore.plus(r.meter)
	data, err := encoded(r.record)
	if err == nil {
		err = r.directory.write(RecordFile, data)
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

func (r *Run) notify(format string, args ...any) {
	if r.Notify != nil {
		r.Notify(fmt.Sprintf(format, args...))
	}
}

// baseline takes a sample before the first cluster begins. A continued run keeps its baseline.
func (r *Run) baseline(ctx context.Context) error {
	s, err := takeSample(ctx, r.client)
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
		maxClusters, err := cluster.MaxClusters(ctx, r.client)
		if err != nil {
			return err
		}
		r.record.Baseline = baselineOf(s, others, maxClusters)
		r.record.setObjects(countObjects(ctx, r.client, "before"))
	}
	return nil
}

// Remaining returns the clusters of the run that may exist: begun and not known to be deleted.
func (r *Run) Remaining() []string {
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
