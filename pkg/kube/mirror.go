package kube

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Mirror keeps watch-backed copies of what steps read while they wait. One watch serves all steps that read the same
// objects. It survives dropped connections, expired resource versions and restarts of the API server.
type Mirror struct {
	ctx    context.Context //nolint:containedctx // the life of the watches is the mirror's, not that of the read that began them
	cancel context.CancelFunc
	mu     sync.Mutex
	feeds  map[feedKey]*feed
	wg     sync.WaitGroup
}

// feedKey is what one watch is about: one object by name, or a list by selectors, of one server. Steps about a hosted cluster read
// from its API server as well as from the management cluster's.
type feedKey struct {
	server         *server
	resource       schema.GroupVersionResource
	namespace      string
	name           string
	list           bool
	labels, fields string
	// bare is whether managed fields, often half of an object, are left out. Most readers want them: they say who wrote what.
	bare bool
	// version is the resource version asked for, of a read that is no watch's.
	version string
}

// newMirror returns a Mirror that lives until ctx ends or Close is called.
func newMirror(ctx context.Context) *Mirror {
	ctx, cancel := context.WithCancel(ctx)
	return &Mirror{ctx: ctx, cancel: cancel, feeds: map[feedKey]*feed{}}
}

// Close ends every watch and waits for them to be gone.
func (m *Mirror) Close() {
	m.cancel()
	m.wg.Wait()
}

// Watch is one step's interest in the objects it reads. It satisfies the engine's Watch.
type Watch struct {
	mirror  *Mirror
	changed chan struct{}
	mu      sync.Mutex
	feeds   map[feedKey]*feed
}

// Watch begins an interest that is empty at first: reads under its Context fill it.
func (m *Mirror) Watch() *Watch {
	return &Watch{mirror: m, changed: make(chan struct{}, 1), feeds: map[feedKey]*feed{}}
}

type watchKey struct{}

// Context returns a context under which a Client's reads come from the mirror and are remembered.
func (w *Watch) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// Changed receives after any remembered object changed, and no other; changes that come close together are told once.
func (w *Watch) Changed() <-chan struct{} { return w.changed }

// Close drops the interest; watches nobody is interested in any more end.
func (w *Watch) Close() {
	w.mirror.mu.Lock()
	defer w.mirror.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, f := range w.feeds {
		f.forget(w)
		if f.unwanted() {
			f.cancel()
			delete(w.mirror.feeds, key)
		}
	}
	w.feeds = nil
}

func watchFrom(ctx context.Context) *Watch {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	return w
}

// read returns the objects of the key that where keeps from the mirror, beginning a watch if there is none.
func (w *Watch) read(ctx context.Context, key feedKey, where Where) ([]*unstructured.Unstructured, error) {
	key.version = ""
	return w.join(key, where).read(ctx, where)
}

// join has the watch woken by changes of what where keeps.
func (w *Watch) join(key feedKey, where Where) *feed {
	m := w.mirror
	m.mu.Lock()
	defer m.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	f := m.feeds[key]
	if f == nil {
		ctx, cancel := context.WithCancel(m.ctx)
		f = newFeed(key, cancel)
		m.feeds[key] = f
		m.wg.Go(func() { f.run(ctx) })
	}
	if w.feeds != nil {
		w.feeds[key] = f
		f.remember(w, where)
	}
	return f
}

// wake tells the step, unless it is told already and has not looked yet.
func (w *Watch) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}
