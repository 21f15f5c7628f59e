package informer

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Informers keeps watch-backed copies of what steps read while they wait. One watch serves all steps that read the same
// objects. It survives dropped connections, expired resource versions and restarts of the API server.
type Informers struct {
	ctx        context.Context //nolint:containedctx // the life of the watches is the mirror's, not that of the read that began them
	cancel     context.CancelFunc
	mu         sync.Mutex
	reflectors map[Key]*reflector
	wg         sync.WaitGroup
}

// Key is what one watch is about: one object by name, or a list by selectors, of one server. Steps about a hosted
// cluster read from its API server as well as from the management cluster's.
type Key struct {
	Server         *Server
	Resource       schema.GroupVersionResource
	Namespace      string
	Name           string
	List           bool
	Labels, Fields string
	// NoManagedFields is whether managed fields, often half of an object, are left out. Most readers want them: they say
	// who wrote what.
	NoManagedFields bool
	// Version is the resource version asked for, of a read that is no watch's.
	Version string
}

// New returns a Mirror that lives until ctx ends or Close is called.
func New(ctx context.Context) *Informers {
	ctx, cancel := context.WithCancel(ctx)
	return &Informers{ctx: ctx, cancel: cancel, reflectors: map[Key]*reflector{}}
}

// Close ends every watch and waits for them to be gone.
func (m *Informers) Close() {
	m.cancel()
	m.wg.Wait()
}

// Watch is one step's interest in the objects it reads. It satisfies the engine's Watch.
type Watch struct {
	informers  *Informers
	changed    chan struct{}
	mu         sync.Mutex
	reflectors map[Key]*reflector
}

// Watch begins an interest that is empty at first: reads under its Context fill it.
func (m *Informers) Watch() *Watch {
	return &Watch{informers: m, changed: make(chan struct{}, 1), reflectors: map[Key]*reflector{}}
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
	w.informers.mu.Lock()
	defer w.informers.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, f := range w.reflectors {
		f.unsubscribe(w)
		if f.unused() {
			f.cancel()
			delete(w.informers.reflectors, key)
		}
	}
	w.reflectors = nil
}

// WatchFrom returns the Watch of a context of Watch.Context, nil for any other.
func WatchFrom(ctx context.Context) *Watch {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	return w
}

// Read returns the objects of the key that where keeps from the mirror, beginning a watch if there is none.
func (w *Watch) Read(ctx context.Context, key Key, where FieldFilter) ([]*unstructured.Unstructured, error) {
	key.Version = ""
	return w.subscribe(key, where).read(ctx, where)
}

// subscribe has the watch woken by changes of what where keeps.
func (w *Watch) subscribe(key Key, where FieldFilter) *reflector {
	m := w.informers
	m.mu.Lock()
	defer m.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	f := m.reflectors[key]
	if f == nil {
		ctx, cancel := context.WithCancel(m.ctx)
		f = newReflector(key, cancel)
		m.reflectors[key] = f
		m.wg.Go(func() { f.run(ctx) })
	}
	if w.reflectors != nil {
		w.reflectors[key] = f
		f.subscribe(w, where)
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
