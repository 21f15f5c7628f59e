// Package framework is what simulated operators are built from: controllers that take their time, conditions,
// workloads, CRDs, webhooks and CSI provisioners.
package framework

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// Run is one run of an operator: from its Deployment turning Available until it no longer is. What a controller
// remembers belongs to its run; everything else is read from the cluster each time.
type Run struct {
	operator.Env
	// Manager has the controllers of this run.
	Manager ctrl.Manager

	mu    sync.Mutex
	since map[string]time.Time
	// installed are the sets of CRDs this run has brought.
	installed map[string]bool
}

// NewRun begins a run of an operator whose controllers mgr starts.
func NewRun(mgr ctrl.Manager, env operator.Env) *Run {
	return &Run{Env: env, Manager: mgr, since: map[string]time.Time{}, installed: map[string]bool{}}
}

// Left tells how much of d, scaled by the sandbox's pace, is still to pass since this run first asked for the work
// named by key. It is how an operator takes its time without sleeping: requeue after what is left. An operator that was
// restarted starts the work anew, as a real one does. API timestamps won't do: they have no fractions of a second.
func (l *Run) Left(d time.Duration, key string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	start, ok := l.since[key]
	if !ok {
		start = time.Now()
		l.since[key] = start
	}
	return max(0, l.Pace.Scale(d)-time.Since(start))
}

// Forget ends the work named by key, so that the next left starts over.
func (l *Run) Forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.since, key)
}

// Controls starts a controller of this run for objects of the kind of obj.
func (l *Run) Controls(name string, obj client.Object, opts ...builder.ForOption) *builder.Builder {
	return ctrl.NewControllerManagedBy(l.Manager).Named(name).For(obj, opts...).WithOptions(controller.Options{
		// The same operator may live several times in one process, and so may several sandboxes in a test.
		SkipNameValidation: ptr.To(true),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			100*time.Millisecond, 5*time.Second),
	})
}

// ToObject maps any event to the one object with this namespace and name: for operators with a single configuration.
func ToObject(namespace, name string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}}
	})
}

// ToEach maps any event to every object of the kind list holds. Objects of a kind not served yet have no events to
// miss.
func (l *Run) ToEach(list func() client.ObjectList) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		found := list()
		if err := l.Client.List(ctx, found); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "listing objects to look at again")
			return nil
		}
		var requests []reconcile.Request
		for _, o := range Items(found) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)})
		}
		return requests
	})
}

// RequeueAfter asks to be called when wait has passed.
func RequeueAfter(wait time.Duration) ctrl.Result { return ctrl.Result{RequeueAfter: wait} }

// LabelsChanged lets the events of nodes through that change labels or annotations: not the heartbeat.
func LabelsChanged() builder.WatchesOption {
	return builder.WithPredicates(predicate.Or(predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{}))
}

// InNamespaces lets the events of objects in these namespaces through.
func InNamespaces(namespaces ...string) builder.WatchesOption {
	return builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
		return slices.Contains(namespaces, o.GetNamespace())
	}))
}

// ForExisting calls do for an object of the kind that exists.
func (l *Run) ForExisting(gvk schema.GroupVersionKind,
	do func(context.Context, *unstructured.Unstructured) (ctrl.Result, error)) reconcile.Func {
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		obj := Unstructured(gvk)
		obj.SetNamespace(req.Namespace)
		obj.SetName(req.Name)
		if found, err := Exists(ctx, l.Client, obj); !found {
			return reconcile.Result{}, err
		}
		return do(ctx, obj)
	}
}
