package plan

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Verb is the kind of a Write.
type Verb string

// The verbs of writes.
const (
	VerbCreate Verb = "create"
	VerbChange Verb = "change"
	VerbDelete Verb = "delete"
)

// Write is one change that a planning Client recorded.
type Write struct {
	Verb Verb
	// Before is the object before the change, nil if it does not exist.
	Before *unstructured.Unstructured
	// After is the object as the API server would store it, nil if it is deleted. If the server could not validate it (see
	// Unvalidated), it is the object as sent.
	After *unstructured.Unstructured
	// Sent is the whole object as sent. For a merge patch it has the patched fields with kind and name.
	Sent *unstructured.Unstructured
	// Merge is set if Sent is a merge patch.
	Merge bool
	// Unvalidated is the reason why the API server could not validate the change, "" if it did.
	Unvalidated string
}

// Object returns After, or Before for a deletion.
func (w Write) Object() *unstructured.Unstructured {
	if w.After != nil {
		return w.After
	}
	return w.Before
}

// Plan records the writes of a planning Client, and returns their results to the Client's later reads.
type Plan struct {
	foresee Foresight

	mu     sync.Mutex
	writes []Write
	// states has the planned state of objects; nil means deleted.
	states map[objectKey]*unstructured.Unstructured
}

type objectKey struct {
	kind schema.GroupKind
	client.ObjectKey
}

func keyOf(gvk schema.GroupVersionKind, key client.ObjectKey) objectKey {
	return objectKey{gvk.GroupKind(), key}
}

// Foresight returns the objects that the cluster will create for a written one.
type Foresight func(ctx context.Context, written *unstructured.Unstructured) []*unstructured.Unstructured

// New returns an empty Plan, and a client that records its writes there. The client reads each live object once.
func New(live client.Client, foresee Foresight) (client.Client, *Plan) {
	p := &Plan{foresee: foresee, states: map[objectKey]*unstructured.Unstructured{}}
	return &planner{Client: &snapshot{Client: live}, plan: p}, p
}

// Take returns the writes since the last call.
func (p *Plan) Take() []Write {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.writes
	p.writes = nil
	return taken
}

// record stores a write that changes something, and returns its result to later reads. It fails if the context's Judge
// rejects the write.
func (p *Plan) record(ctx context.Context, w Write) error {
	if err := checkJudge(ctx, w); err != nil {
		return err
	}
	obj := w.Object()
	p.store(obj, w.After)
	if w.Verb == VerbChange && w.Diff() == "" {
		return nil
	}
	p.mu.Lock()
	p.writes = append(p.writes, w)
	p.mu.Unlock()
	if p.foresee == nil || w.After == nil {
		return nil
	}
	for _, expected := range p.foresee(ctx, w.After) {
		p.store(expected, expected)
	}
	return nil
}

// store sets the state for later reads of the object; nil means deleted.
func (p *Plan) store(obj, state *unstructured.Unstructured) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.states[keyOf(obj.GroupVersionKind(), client.ObjectKeyFromObject(obj))] = state
}

// lookup returns the planned state of an object; isPlanned is false if there is none.
func (p *Plan) lookup(key objectKey) (state *unstructured.Unstructured, isPlanned bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state, isPlanned = p.states[key]
	return state, isPlanned
}

// Touches reports whether a change in the namespace is planned.
func (p *Plan) Touches(namespace string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.states {
		if key.Namespace == namespace {
			return true
		}
	}
	return false
}

// Deletes reports whether the object's deletion is planned.
func (p *Plan) Deletes(kind schema.GroupVersionKind, o client.Object) bool {
	state, isPlanned := p.lookup(keyOf(kind, client.ObjectKeyFromObject(o)))
	return isPlanned && state == nil
}

// current returns the object as later reads see it, nil if it does not exist, and whether it is planned.
func (p *planner) current(ctx context.Context, gvk schema.GroupVersionKind,
	key client.ObjectKey) (state *unstructured.Unstructured, isPlanned bool, err error) {
	if state, isPlanned = p.plan.lookup(keyOf(gvk, key)); isPlanned {
		return state, true, nil
	}
	state = &unstructured.Unstructured{}
	state.SetGroupVersionKind(gvk)
	err = p.Client.Get(ctx, key, state)
	switch {
	case apierrors.IsNotFound(err):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return state, false, nil
}
