package operators

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

// life is one life of an operator: from its Deployment turning Available until it no longer is. What a controller
// remembers belongs to its life; everything else is read from the cluster each time.
type life struct {
	operator.Env
	mgr ctrl.Manager

	mu    sync.Mutex
	since map[string]time.Time
	// installed are the sets of CRDs this life has brought.
	installed map[string]bool
}

func newLife(mgr ctrl.Manager, env operator.Env) *life {
	return &life{Env: env, mgr: mgr, since: map[string]time.Time{}, installed: map[string]bool{}}
}

// left tells how much of d, scaled by the sandbox's pace, is still to pass since this life first asked for the work
// named by key. It is how an operator takes its time without sleeping: requeue after what is left. An operator that was
// restarted starts the work anew, as a real one does. API timestamps won't do: they have no fractions of a second.
func (l *life) left(d time.Duration, key string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	start, ok := l.since[key]
	if !ok {
		start = time.Now()
		l.since[key] = start
	}
	return max(0, l.Pace.Scale(d)-time.Since(start))
}

// forget ends the work named by key, so that the next left starts over.
func (l *life) forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.since, key)
}

// controls starts a controller of this life for objects of the kind of obj.
func (l *life) controls(name string, obj client.Object, opts ...builder.ForOption) *builder.Builder {
	return ctrl.NewControllerManagedBy(l.mgr).Named(name).For(obj, opts...).WithOptions(controller.Options{
		// The same operator may live several times in one process, and so may several sandboxes in a test.
		SkipNameValidation: ptr.To(true),
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			100*time.Millisecond, 5*time.Second),
	})
}

// to maps any event to the one object with this namespace and name: for operators with a single configuration.
func to(namespace, name string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: name}}}
	})
}

// toEach maps any event to every object of the kind list holds. Objects of a kind not served yet have no events to miss.
func (l *life) toEach(list func() client.ObjectList) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		found := list()
		if err := l.Client.List(ctx, found); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "listing objects to look at again")
			return nil
		}
		var requests []reconcile.Request
		for _, o := range items(found) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)})
		}
		return requests
	})
}

// again asks to be called when wait has passed.
func again(wait time.Duration) ctrl.Result { return ctrl.Result{RequeueAfter: wait} }

// marked lets the events of nodes through that change labels or annotations: not the heartbeat.
func marked() builder.WatchesOption {
	return builder.WithPredicates(predicate.Or(predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{}))
}

// within lets the events of objects in these namespaces through.
func within(namespaces ...string) builder.WatchesOption {
	return builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool { return slices.Contains(namespaces, o.GetNamespace()) }))
}

// present calls do for an object of the kind that exists.
func (l *life) present(gvk schema.GroupVersionKind,
	do func(context.Context, *unstructured.Unstructured) (ctrl.Result, error)) reconcile.Func {
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		obj := untyped(gvk)
		obj.SetNamespace(req.Namespace)
		obj.SetName(req.Name)
		if found, err := exists(ctx, l.Client, obj); !found {
			return reconcile.Result{}, err
		}
		return do(ctx, obj)
	}
}
