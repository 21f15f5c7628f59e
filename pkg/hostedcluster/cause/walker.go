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

// MaxReads limits the number of lists that one Walker reads. It reads each list once, page by page.
const MaxReads = 12

// maxBelow limits the symptoms below one symptom.
const maxBelow = 3

// Symptom is an unhealthy object with the symptoms that explain it, the best explanation first.
type Symptom struct {
	health.Verdict
	// Event means that only an Event reports it, so it may be over.
	Event bool
	// Hosted means that the object is in the hosted cluster.
	Hosted bool
	Below  []Symptom
}

// Deepest follows the first explanation of each symptom and returns the last one.
func (s Symptom) Deepest() Symptom {
	for len(s.Below) > 0 {
		s = s.Below[0]
	}
	return s
}

// Describe returns the object and its message.
func (s Symptom) Describe() string { return s.Object + ": " + s.Message }

// Name returns the object's name without its kind and namespace.
func (s Symptom) Name() string {
	return s.Object[max(strings.LastIndex(s.Object, "/"), strings.Index(s.Object, " "))+1:]
}

// Walker explains the unhealthy parts of one hosted cluster. Its methods may run concurrently.
type Walker struct {
	hc         *hyperv1.HostedCluster
	management kube.Reader
	// hosted is nil if the hosted cluster cannot be read.
	hosted kube.Reader
	// vmNamespace is the namespace to read, if it is not that of the control plane.
	vmNamespace string
	// Steady omits counts and ages from messages, so that the same cause always has the same message.
	Steady bool

	mu    sync.Mutex
	lists map[string]*cachedList
	reads int
}

// cachedList is a list that is read at most once.
type cachedList struct {
	once  sync.Once
	items any
	err   error
}

// New returns a Walker. hosted is nil if the hosted cluster cannot be read.
func New(hc *hyperv1.HostedCluster, management, hosted kube.Reader) *Walker {
	return &Walker{hc: hc, management: management, hosted: hosted, lists: map[string]*cachedList{}}
}

// NewElsewhere returns a Walker for worker VMs on another cluster than the control plane. there reads that cluster, and
// namespace is the namespace of the VMs.
func NewElsewhere(hc *hyperv1.HostedCluster, infra kube.Reader, namespace string) *Walker {
	w := New(hc, infra, nil)
	w.vmNamespace = namespace
	return w
}

// namespace returns the namespace of the control plane, or of worker VMs on another cluster.
func (w *Walker) namespace() string {
	if w.vmNamespace != "" {
		return w.vmNamespace
	}
	return hostedcluster.ControlPlaneNamespace(w.hc.Namespace, w.hc.Name)
}

func (w *Walker) now() time.Time { return w.management.Now() }

// once reads a list, or returns it if it was read before. A missing kind is an empty list.
func once[T any](w *Walker, key string, read func() ([]T, error)) ([]T, error) {
	w.mu.Lock()
	l := w.lists[key]
	if l == nil {
		if w.reads++; w.reads > MaxReads {
			w.mu.Unlock()
			return nil, fmt.Errorf("not looked at: more than %d lists", MaxReads)
		}
		l = &cachedList{}
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

// Unread returns an explanation for each list that could not be read, sorted by the lists' names. Causes in those lists
// are not known.
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

// Keys of the lists that a caller may have read already.
const (
	podsKey   = "pods"
	claimsKey = "claims"
)

// GivePods sets the pods in the control plane namespace, so that the Walker does not read them.
func (w *Walker) GivePods(pods []corev1.Pod) { setList(w, podsKey, pods) }

// GiveClaims sets the volume claims in the control plane namespace, so that the Walker does not read them.
func (w *Walker) GiveClaims(claims []corev1.PersistentVolumeClaim) { setList(w, claimsKey, claims) }

// setList sets a list that was read already.
func setList[T any](w *Walker, key string, items []T) {
	l := &cachedList{items: items}
	l.once.Do(func() {})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lists[key] = l
}

// inNamespace selects the Walker's namespace.
func (w *Walker) inNamespace() client.InNamespace { return client.InNamespace(w.namespace()) }

// limitBelow returns the first maxBelow symptoms.
func limitBelow(symptoms []Symptom) []Symptom {
	if len(symptoms) > maxBelow {
		return symptoms[:maxBelow]
	}
	return symptoms
}
