package cause

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// MaxReads limits the lists that one Walker reads. It reads each list once, page by page.
const MaxReads = 12

// maxBelow limits the symptoms below one symptom.
const maxBelow = 3

// Symptom is an object that is not well, with those one level below that explain it, the best explanation first.
type Symptom struct {
	health.Verdict
	// Event means that only an Event says so, which may be over.
	Event bool
	// Hosted means that the object is in the hosted cluster.
	Hosted bool
	Below  []Symptom
}

// Deepest returns the symptom at the end of the first way down.
func (s Symptom) Deepest() Symptom {
	for len(s.Below) > 0 {
		s = s.Below[0]
	}
	return s
}

// Describe returns the object and what is wrong with it.
func (s Symptom) Describe() string { return s.Object + ": " + s.Message }

// Name returns the object's name without its kind and namespace.
func (s Symptom) Name() string {
	return s.Object[max(strings.LastIndex(s.Object, "/"), strings.Index(s.Object, " "))+1:]
}

// Walker explains what is not well of one hosted cluster. Its methods may run side by side.
type Walker struct {
	hc         *hyperv1.HostedCluster
	management kube.Reader
	// hosted is nil where the hosted cluster cannot be asked.
	hosted kube.Reader
	// at is the namespace that is looked into, if not that of the control plane.
	at string
	// Steady leaves counts and ages out of messages, so that the same cause reads the same each time.
	Steady bool

	mu    sync.Mutex
	lists map[string]*reading
	reads int
}

// reading is a list that is read once.
type reading struct {
	once  sync.Once
	items any
	err   error
}

// New returns a Walker. hosted is nil where the hosted cluster cannot be asked.
func New(hc *hyperv1.HostedCluster, management, hosted kube.Reader) *Walker {
	return &Walker{hc: hc, management: management, hosted: hosted, lists: map[string]*reading{}}
}

// NewElsewhere returns a Walker for worker VMs on another cluster than the control plane: there is its reader,
// namespace theirs.
func NewElsewhere(hc *hyperv1.HostedCluster, there kube.Reader, namespace string) *Walker {
	w := New(hc, there, nil)
	w.at = namespace
	return w
}

// namespace is that of the control plane, or of worker VMs that are elsewhere.
func (w *Walker) namespace() string {
	if w.at != "" {
		return w.at
	}
	return hostedcluster.ControlPlaneNamespace(w.hc.Namespace, w.hc.Name)
}

func (w *Walker) now() time.Time { return w.management.Now() }

// once reads a list if it was not read before.
func once[T any](w *Walker, key string, read func() ([]T, error)) ([]T, error) {
	w.mu.Lock()
	l := w.lists[key]
	if l == nil {
		if w.reads++; w.reads > MaxReads {
			w.mu.Unlock()
			return nil, fmt.Errorf("not looked at: more than %d lists", MaxReads)
		}
		l = &reading{}
		w.lists[key] = l
	}
	w.mu.Unlock()
	l.once.Do(func() {
		items, err := read()
		if kube.IsKindMissing(err) {
			err = nil
		}
		l.items, l.err = items, err
	})
	items, _ := l.items.([]T)
	return items, l.err
}

// Unread says of each list that could not be read why, in the order of the lists' names. What they would have explained
// is not known.
func (w *Walker) Unread() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, key := range slices.Sorted(maps.Keys(w.lists)) {
		if err := w.lists[key].err; err != nil {
			out = append(out, key+": "+kube.Explain(err))
		}
	}
	if w.reads > MaxReads {
		out = append(out, fmt.Sprintf("more than %d lists", MaxReads))
	}
	return out
}

// Keys of lists that a caller may have read already.
const (
	podsKey   = "pods"
	claimsKey = "claims"
)

// GivePods hands over the pods of the control plane's namespace, which the Walker then does not read.
func (w *Walker) GivePods(pods []corev1.Pod) { give(w, podsKey, pods) }

// GiveClaims hands over the claims of the control plane's namespace.
func (w *Walker) GiveClaims(claims []corev1.PersistentVolumeClaim) { give(w, claimsKey, claims) }

// give hands over a list that was read already.
func give[T any](w *Walker, key string, items []T) {
	l := &reading{items: items}
	l.once.Do(func() {})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists[key] = l
}

// inside selects the control plane's namespace.
func (w *Walker) inside() client.InNamespace { return client.InNamespace(w.namespace()) }

// first keeps the best explanations of a list.
func first(symptoms []Symptom) []Symptom {
	if len(symptoms) > maxBelow {
		return symptoms[:maxBelow]
	}
	return symptoms
}
