package main

import (
	"context"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// observer watches every kind of the cluster, including later ones, and records when each object changed: an
// independent view of what hcctl can see.
type observer struct {
	discovery discovery.DiscoveryInterface
	metadata  metadata.Interface

	mu      sync.Mutex
	watched map[schema.GroupVersionResource]bool
	// changes are keyed by "Kind namespace/name", "Kind name" or, for any object of the kind, "Kind".
	changes map[string][]time.Time
}

func newObserver(kubeconfig string) (*observer, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	cfg.QPS = -1
	cfg.WarningHandler = rest.NoWarnings{} // it watches deprecated kinds too
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, err
	}
	m, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	return &observer{discovery: d, metadata: m, watched: map[schema.GroupVersionResource]bool{},
		changes: map[string][]time.Time{}}, nil
}

// rediscover is the interval of the search for new kinds. The observer may miss the first changes of a kind, which come
// from hcctl itself or long before anything is ready.
const rediscover = 500 * time.Millisecond

// run observes until ctx ends.
func (o *observer) run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	tick := time.NewTicker(rediscover)
	defer tick.Stop()
	for {
		// Groups whose server does not answer are retried.
		lists, _ := discovery.ServerPreferredResources(o.discovery)
		for _, list := range lists {
			gv, err := schema.ParseGroupVersion(list.GroupVersion)
			if err != nil {
				continue
			}
			for _, r := range list.APIResources {
				if gvr := gv.WithResource(r.Name); canWatch(r) && o.claim(gvr) {
					wg.Go(func() { o.watch(ctx, gvr, r.Kind) })
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func canWatch(r metav1.APIResource) bool {
	return strings.Contains(strings.Join(r.Verbs, " "), "watch") && r.Name != "events" && r.Name != "leases"
}

func (o *observer) claim(gvr schema.GroupVersionResource) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	claimed := o.watched[gvr]
	o.watched[gvr] = true
	return !claimed
}

// watch follows one kind, and restarts after an interruption.
func (o *observer) watch(ctx context.Context, gvr schema.GroupVersionResource, kind string) {
	for ctx.Err() == nil {
		w, err := o.metadata.Resource(gvr).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(rediscover):
			}
			continue
		}
		for e := range w.ResultChan() {
			if m, ok := e.Object.(*metav1.PartialObjectMetadata); ok {
				o.saw(kind, m, time.Now())
			}
		}
		w.Stop()
	}
}

func (o *observer) saw(kind string, m *metav1.PartialObjectMetadata, at time.Time) {
	name := m.Name
	if m.Namespace != "" {
		name = m.Namespace + "/" + m.Name
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range []string{kind + " " + name, kind} {
		o.changes[key] = append(o.changes[key], at)
	}
}

// skew is how much later than hcctl the observer may see the same change.
const skew = 500 * time.Millisecond

// changed returns the change of an object that ended a step with this beginning and end: the change closest to the end.
// An object is named as in findings ("Kind name", or "Kinds" for any of a kind).
func (o *observer) changed(object string, began, ended time.Time) (time.Time, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := o.changes[object]
	if seen == nil {
		seen = o.changes[strings.TrimSuffix(object, "s")]
	}
	var nearest time.Time
	for _, at := range seen {
		if at.After(began) && at.Before(ended.Add(skew)) &&
			(nearest.IsZero() || at.Sub(ended).Abs() < nearest.Sub(ended).Abs()) {
			nearest = at
		}
	}
	if nearest.After(ended) {
		nearest = ended
	}
	return nearest, !nearest.IsZero()
}
