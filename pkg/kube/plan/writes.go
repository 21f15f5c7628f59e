package plan

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Verb is what a Write does to its object.
type Verb string

// What a Write can do.
const (
	VerbCreate Verb = "create"
	VerbChange Verb = "change"
	VerbDelete Verb = "delete"
)

// Write is one change that a planning Client would have made.
type Write struct {
	Verb Verb
	// Before is the object as it is, nil where it does not exist.
	Before *unstructured.Unstructured
	// After is the object as the API server would store it, nil where it is deleted. Where the server could not be asked,
	// see Unvalidated, it is the object as it would be sent.
	After *unstructured.Unstructured
	// Sent is what would be sent: the whole object, or for a merge patch the fields it sets, with the object's identity.
	Sent *unstructured.Unstructured
	// Merge is whether Sent is a merge patch.
	Merge bool
	// Unvalidated says why the API server could not be asked what would become of it; empty where it was.
	Unvalidated string
}

// Object is the object the write is about, in the fullest form known.
func (w Write) Object() *unstructured.Unstructured {
	if w.After != nil {
		return w.After
	}
	return w.Before
}

// Plan keeps what a planning Client would have written, and shows it to the Client's later reads.
type Plan struct {
	foresee Foresight

	mu     sync.Mutex
	writes []Write
	// laid lies over what the server has; a nil object was deleted.
	laid map[laidKey]*unstructured.Unstructured
}

type laidKey struct {
	kind schema.GroupKind
	client.ObjectKey
}

func keyOf(gvk schema.GroupVersionKind, key client.ObjectKey) laidKey {
	return laidKey{gvk.GroupKind(), key}
}

// Foresight tells which objects the cluster will make of one that was written, in time.
type Foresight func(ctx context.Context, written *unstructured.Unstructured) []*unstructured.Unstructured

// New returns an empty Plan and the client that records its writes there instead of making them with live.
func New(live client.Client, foresee Foresight) (client.Client, *Plan) {
	p := &Plan{foresee: foresee, laid: map[laidKey]*unstructured.Unstructured{}}
	return &planner{Client: client.NewDryRunClient(live), live: live, plan: p}, p
}

// Take returns the writes since the last call.
func (p *Plan) Take() []Write {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.writes
	p.writes = nil
	return taken
}

// record keeps a write that changes something, and lays its outcome over later reads.
func (p *Plan) record(ctx context.Context, w Write) {
	obj := w.Object()
	p.lay(obj, w.After)
	if w.Verb == VerbChange && w.Diff() == "" {
		return
	}
	p.mu.Lock()
	p.writes = append(p.writes, w)
	p.mu.Unlock()
	if p.foresee == nil || w.After == nil {
		return
	}
	for _, expected := range p.foresee(ctx, w.After) {
		p.lay(expected, expected)
	}
}

// lay shows state, or absence where it is nil, to later reads of the object.
func (p *Plan) lay(obj, state *unstructured.Unstructured) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.laid[keyOf(obj.GroupVersionKind(), client.ObjectKeyFromObject(obj))] = state
}

// look returns what is laid over an object; laid is false where nothing is.
func (p *Plan) look(key laidKey) (state *unstructured.Unstructured, laid bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state, laid = p.laid[key]
	return state, laid
}

// Touches tells whether anything in a namespace is planned to change.
func (p *Plan) Touches(namespace string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.laid {
		if key.Namespace == namespace {
			return true
		}
	}
	return false
}

// Deletes tells whether an object is planned to be deleted.
func (p *Plan) Deletes(kind schema.GroupVersionKind, o client.Object) bool {
	state, laid := p.look(keyOf(kind, client.ObjectKeyFromObject(o)))
	return laid && state == nil
}

// current returns the object as later reads see it, nil where there is none, and whether it is laid over what the
// server has.
func (p *planner) current(ctx context.Context, gvk schema.GroupVersionKind,
	key client.ObjectKey) (state *unstructured.Unstructured, laid bool, err error) {
	if state, laid = p.plan.look(keyOf(gvk, key)); laid {
		return state, true, nil
	}
	state = &unstructured.Unstructured{}
	state.SetGroupVersionKind(gvk)
	err = p.live.Get(ctx, key, state)
	switch {
	case apierrors.IsNotFound(err):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return state, false, nil
}
