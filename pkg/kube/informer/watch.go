package informer

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Informers keeps watch-backed copies of the objects that steps read while they wait. One reflector serves all steps
// that read the same objects, and survives dropped connections, expired versions and restarts of the API server.
type Informers struct {
	ctx        context.Context //nolint:containedctx // the watches outlive the reads that start them
	cancel     context.CancelFunc
	mu         sync.Mutex
	reflectors map[Key]*reflector
	wg         sync.WaitGroup
}

// Key identifies a reflector: one object by name, or a list by selectors, of one server. Steps for a hosted cluster
// also read from the hosted API server.
type Key struct {
	Server         *Server
	Resource       schema.GroupVersionResource
	Namespace      string
	Name           string
	List           bool
	Labels, Fields string
	// NoManagedFields removes managed fields, often half of an object. Most readers need them.
	NoManagedFields bool
	// Decoder creates the Value of each Change. The store then keeps the value instead of the object.
	Decoder *Decoder
	// Version is the resource version of a read without a watch.
	Version string
}

// New returns Informers that run until ctx ends or Close is called.
func New(ctx context.Context) *Informers {
	ctx, cancel := context.WithCancel(ctx)
	return &Informers{ctx: ctx, cancel: cancel, reflectors: map[Key]*reflector{}}
}

// Close ends every watch and waits until all have ended.
func (m *Informers) Close() {
	m.cancel()
	m.wg.Wait()
}

// Watch reads from informers, records the reads of one step, and wakes it on changes. It implements step.Watch.
type Watch struct {
	informers  *Informers
	changed    chan struct{}
	mu         sync.Mutex
	reflectors map[Key]*reflector
}

// Watch returns an empty Watch. Each read through it adds a subscription.
func (m *Informers) Watch() *Watch {
	return &Watch{informers: m, changed: make(chan struct{}, 1), reflectors: map[Key]*reflector{}}
}

// String implements step.Reads.
func (*Watch) String() string { return "watched" }

// Changed receives after a recorded object has changed. Several changes within a short time may be received as one.
func (w *Watch) Changed() <-chan struct{} { return w.changed }

// Close drops the subscriptions. Reflectors without subscribers end.
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

// Read returns the objects of key that match where, and starts a reflector if there is none.
func (w *Watch) Read(ctx context.Context, key Key, where FieldFilter) ([]*unstructured.Unstructured, error) {
	key.Version = ""
	return w.subscribe(key, where).read(ctx, where)
}

// subscribe wakes the watch on changes of objects that match where.
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

// wake wakes the step unless a wake-up is pending already.
func (w *Watch) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}
