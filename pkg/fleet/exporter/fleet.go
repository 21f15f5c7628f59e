package exporter

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
	"unique"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/expiry"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// DefaultMaxClusters is the default of Options.MaxClusters.
const DefaultMaxClusters = 5000

// Options configure what is exported.
type Options struct {
	// Namespace of the hosted clusters; empty for all.
	Namespace string
	// MaxClusters is the number of hosted clusters that have their own series, by namespace and name. The others
	// are only counted.
	MaxClusters int
	// Labels are labels of HostedClusters to export as labels of a metric.
	Labels []string
	// Expiry reads Secrets, to export when certificates and tokens expire.
	Expiry bool
	// Causes reads unhealthy clusters in detail, as hcctl status does for a list.
	Causes bool
	// Version is hcctl's version.
	Version string
}

// Fleet holds the hosted clusters and node pools from which the metrics are made, as the API server last
// reported them.
type Fleet struct {
	options    Options
	labelNames []string
	started    time.Time
	// ready is closed when everything was read once, seen when both watched kinds were.
	ready, seen chan struct{}

	mu       sync.Mutex
	clusters map[types.NamespacedName]*hyperv1.HostedCluster
	pools    map[types.NamespacedName]*hyperv1.NodePool
	up       map[string]bool
	ends     map[types.NamespacedName][]*expiry.Item
	causes   map[types.NamespacedName]detail
	reasons  map[string]bool
}

// New validates the options. started is the start time of the exporter.
func New(o Options, started time.Time) (*Fleet, error) {
	if o.MaxClusters < 1 {
		return nil, fmt.Errorf("%s %d: at least 1", hint.Flag("max-clusters"), o.MaxClusters)
	}
	names, err := labelNames(o.Labels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", hint.Flag("cluster-labels"), err)
	}
	return &Fleet{
		options: o, labelNames: names, started: started, ready: make(chan struct{}), seen: make(chan struct{}),
		clusters: map[types.NamespacedName]*hyperv1.HostedCluster{}, pools: map[types.NamespacedName]*hyperv1.NodePool{},
		up: map[string]bool{}, reasons: map[string]bool{},
	}, nil
}

// Ready returns a channel that is closed when everything was read once.
func (f *Fleet) Ready() <-chan struct{} { return f.ready }

// source is one watched kind.
type source struct {
	kind    string
	changes *informer.Changes
	apply   func(*informer.Changes, context.Context) error
	listed  bool
}

// Follow watches hosted clusters and node pools until ctx ends, and returns the error of ctx. It continues after
// an outage of the API server, and returns an error if the first read is refused or HyperShift is not installed.
// It calls trouble with an error when objects cannot be read, and with nil when they can be read again.
func (f *Fleet) Follow(ctx context.Context, c *kube.Client, trouble func(error)) error {
	informers := c.NewInformers(ctx)
	defer informers.Close()
	watch := informers.Watch()
	defer watch.Close()
	of := func(r status.Resource, d *informer.Decoder) *informer.Changes {
		return c.Changes(watch, kube.Selection{Kind: r.Kind, Namespace: f.options.Namespace, Decoder: d})
	}
	clusters := of(status.HostedClusters(), &informer.Decoder{Decode: decode[hyperv1.HostedCluster]})
	pools := of(status.NodePools(), &informer.Decoder{Decode: decode[hyperv1.NodePool]})
	sources := []*source{
		{kind: hostedcluster.HostedClusterKind, changes: clusters, apply: take(f, f.clusters)},
		{kind: hostedcluster.NodePoolKind, changes: pools, apply: take(f, f.pools)},
	}
	var reading sync.WaitGroup
	defer reading.Wait()
	repeating, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, r := range f.repeated() {
		reading.Go(func() { f.repeat(repeating, c, r) })
	}
	troubled := false
	for {
		var failed error
		for _, s := range sources {
			err := s.apply(s.changes, ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f.note(s.kind, err == nil)
			switch {
			case err == nil:
				s.listed = true
			case !s.listed && (apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)):
				return fmt.Errorf("list %ss: %w", s.kind, err)
			case !s.listed && kube.IsKindMissing(err):
				return &hostedcluster.NotInstalledError{}
			default:
				failed = err
			}
		}
		if troubled != (failed != nil) {
			troubled = failed != nil
			trouble(failed)
		}
		select {
		case <-watch.Changed():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// note records whether a kind can be read.
func (f *Fleet) note(kind string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, before := f.up[kind]; !ok && !before {
		return // nothing was read yet
	}
	f.up[kind] = ok
	f.noteReady()
}

// noteReady closes seen and ready when their sources have been read.
func (f *Fleet) noteReady() {
	const watched = 2
	closeAt := func(c chan struct{}, n int) {
		select {
		case <-c:
		default:
			if len(f.up) == n {
				close(c)
			}
		}
	}
	closeAt(f.seen, watched)
	closeAt(f.ready, watched+len(f.repeated()))
}

// repeated is a read that is repeated, besides the watches.
type repeated struct {
	read  func(context.Context, kube.Reader)
	pause time.Duration
}

func (f *Fleet) repeated() (all []repeated) {
	if f.options.Expiry {
		all = append(all, repeated{f.readExpiry, expiryInterval})
	}
	if f.options.Causes {
		all = append(all, repeated{f.readCauses, causesInterval})
	}
	return all
}

// repeat reads as soon as the clusters are known, and then after each interval until ctx ends.
func (f *Fleet) repeat(ctx context.Context, c kube.Reader, r repeated) {
	select {
	case <-f.seen:
	case <-ctx.Done():
		return
	}
	tick := time.NewTicker(r.pause)
	defer tick.Stop()
	for {
		r.read(ctx, c)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// take applies the changes of one kind to a map. It ignores an object that could not be decoded.
func take[T any](f *Fleet, all map[types.NamespacedName]*T) func(*informer.Changes, context.Context) error {
	return func(changes *informer.Changes, ctx context.Context) error {
		taken, err := changes.Take(ctx)
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, c := range taken {
			if c.Now == nil {
				delete(all, client.ObjectKeyFromObject(c.Before))
			} else if typed, ok := c.Value.(*T); ok {
				all[client.ObjectKeyFromObject(c.Now)] = typed
			}
		}
		return err
	}
}

// decode returns an object as a Go type, or nil if it does not fit. It drops the last-applied annotation, which
// nothing reads, and shares equal texts of conditions, to save memory.
func decode[T any](u *unstructured.Unstructured) any {
	unstructured.RemoveNestedField(u.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	conditions, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "conditions")
	list, _ := conditions.([]any)
	for _, c := range list {
		condition, _ := c.(map[string]any)
		for key, value := range condition {
			if text, ok := value.(string); ok {
				condition[key] = unique.Make(text).Value()
			}
		}
	}
	typed := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		return nil
	}
	return typed
}

// sorted returns the keys of a map, sorted by namespace and name.
func sorted[T any](all map[types.NamespacedName]T) []types.NamespacedName {
	return slices.SortedFunc(maps.Keys(all), func(a, b types.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// Write writes all metrics for the time now, in the text format of Prometheus.
func (f *Fleet) Write(w io.Writer, now time.Time) error { return f.collect(now).write(w) }
