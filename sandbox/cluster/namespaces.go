package cluster

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/namespace/deletion"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/operator"
)

const (
	// namespaceGrace is how long Kubernetes waits before it empties a deleted namespace. The speed divides it.
	namespaceGrace = 5 * time.Second
	// minNamespaceGrace lets the API server see the deletion before its namespace is emptied.
	minNamespaceGrace = time.Second
	// minNamespaceRetry is the shortest time between two attempts at what something holds: each lists every kind.
	minNamespaceRetry = 3 * time.Second
)

// namespaces deletes namespaces as Kubernetes' own namespace controller does, and with its code, but for the delays. It
// leaves out the kinds of CRDs that have no object in the namespace: each would be two requests.
type namespaces struct {
	kube    kubernetes.Interface
	objects metadata.Interface
	db      *etcd.Store
	pace    operator.Pace
}

func setUpNamespaces(mgr ctrl.Manager, env operator.Env, db *etcd.Store) error {
	kube, err := kubernetes.NewForConfig(env.Config)
	if err != nil {
		return fmt.Errorf("reach the API server: %w", err)
	}
	objects, err := metadata.NewForConfig(env.Config)
	if err != nil {
		return fmt.Errorf("reach the API server: %w", err)
	}
	n := &namespaces{kube: kube, objects: objects, db: db, pace: env.Pace}
	return ctrl.NewControllerManagedBy(mgr).Named("namespaces").
		Watches(&corev1.Namespace{}, n.enqueue()).
		WithOptions(controller.Options{MaxConcurrentReconciles: 20, SkipNameValidation: ptr.To(true)}).
		Complete(n)
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// enqueue puts a namespace that is being deleted into the queue, after a while.
func (n *namespaces) enqueue() handler.EventHandler {
	add := func(o client.Object, q queue) {
		if o.GetDeletionTimestamp() != nil {
			q.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Name: o.GetName()}}, n.grace())
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { add(e.Object, q) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) { add(e.ObjectNew, q) },
	}
}

func (n *namespaces) grace() time.Duration {
	return max(n.pace.Scale(namespaceGrace), minNamespaceGrace)
}

// Reconcile deletes what is in a namespace, and then the namespace.
func (n *namespaces) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	kinds, err := n.kinds(ctx, req.Name)
	if len(kinds) == 0 {
		// Kubernetes' own code would end the process, as its controller manager does.
		return reconcile.Result{}, fmt.Errorf("the kinds of namespace %s: the API server lists none: %w", req.Name, err)
	}
	deleter := deletion.NewNamespacedResourcesDeleter(ctx, n.kube.CoreV1().Namespaces(), n.objects, n.kube.CoreV1(),
		func() ([]*metav1.APIResourceList, error) { return kinds, err }, corev1.FinalizerKubernetes)
	err = deleter.Delete(ctx, req.Name)
	var remaining *deletion.ResourcesRemainingError
	if errors.As(err, &remaining) {
		return reconcile.Result{RequeueAfter: n.retry(remaining.Estimate)}, nil
	}
	return reconcile.Result{}, err
}

// kinds lists the kinds that can have objects in a namespace.
func (n *namespaces) kinds(ctx context.Context, namespace string) ([]*metav1.APIResourceList, error) {
	lists, err := n.kube.Discovery().ServerPreferredNamespacedResources()
	for _, list := range lists {
		gv, parseErr := schema.ParseGroupVersion(list.GroupVersion)
		if parseErr != nil {
			return nil, parseErr
		}
		list.APIResources = slices.DeleteFunc(list.APIResources, func(r metav1.APIResource) bool {
			return n.isEmpty(ctx, gv.Group, r.Name, namespace)
		})
	}
	return lists, err
}

// isEmpty reports whether a kind is that of a CRD and has no object in the namespace.
func (n *namespaces) isEmpty(ctx context.Context, group, plural, namespace string) bool {
	crd, err := n.db.Holds(ctx, path.Join(etcd.ManagementPrefix, apiextensionsv1.GroupName, "customresourcedefinitions",
		plural+"."+group))
	if err != nil || !crd {
		return false
	}
	some, err := n.db.Holds(ctx, path.Join(etcd.ManagementPrefix, group, plural, namespace)+"/")
	return err == nil && !some
}

// retry is when to look again at a namespace whose objects take so many seconds to go: after half of them, as
// Kubernetes does.
func (n *namespaces) retry(seconds int64) time.Duration {
	usual := time.Duration(seconds/2+1) * time.Second
	return min(max(n.pace.Scale(usual), minNamespaceRetry), usual)
}
