// Package framework has the building blocks of simulated operators: controllers with delays, conditions, workloads,
// CRDs, webhooks and CSI provisioners.
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

// Run is one run of an operator, while its Deployment is Available. The state that controllers remember belongs to a
// run; they read everything else from the cluster.
type Run struct {
	operator.Env
	// Manager manages the controllers of this run.
	Manager ctrl.Manager

	mu    sync.Mutex
	since map[string]time.Time
	// installed are the CRD sets that this run has installed.
	installed map[string]bool
}

// NewRun starts a run of an operator with the manager mgr.
func NewRun(mgr ctrl.Manager, env operator.Env) *Run {
	return &Run{Env: env, Manager: mgr, since: map[string]time.Time{}, installed: map[string]bool{}}
}

// Remaining returns the rest of d, scaled by the sandbox's speed, since this run first asked for key; an operator
// requeues after it instead of sleeping. A restarted operator starts anew, as a real one does; API timestamps cannot
// replace this, because they have whole seconds.
func (l *Run) Remaining(d time.Duration, key string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	start, ok := l.since[key]
	if !ok {
		start = time.Now()
		l.since[key] = start
	}
	return max(0, l.Pace.Scale(d)-time.Since(start))
}

// Forget resets key, so that the next Remaining starts over.
func (l *Run) Forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.since, key)
}

// NewController starts a controller of this run for objects of obj's kind.
func (l *Run) NewController(name string, obj client.Object, opts ...builder.ForOption) *builder.Builder {
	return ctrl.NewControllerManagedBy(l.Manager).Named(name).For(obj, opts...).WithOptions(controller.Options{
		// An operator can run several times in one process, and a test can have several sandboxes.
		SkipNameValidation: ptr.To(true),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			100*time.Millisecond, 5*time.Second),
	})
}

// ToObject maps any event to the one object with this namespace and name, for operators with a single configuration.
func ToObject(namespace, name string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}}
	})
}

// ToEach maps any event to every object of the list's kind. A kind that is not served yet has no objects.
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

// RequeueAfter requests another reconcile after wait.
func RequeueAfter(wait time.Duration) ctrl.Result { return ctrl.Result{RequeueAfter: wait} }

// LabelsChanged accepts node events that change labels or annotations, so it drops heartbeats.
func LabelsChanged() builder.WatchesOption {
	return builder.WithPredicates(predicate.Or(predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{}))
}

// InNamespaces accepts events of objects in these namespaces.
func InNamespaces(namespaces ...string) builder.WatchesOption {
	return builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
		return slices.Contains(namespaces, o.GetNamespace())
	}))
}

// ForExisting calls do for an existing object of the kind.
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
