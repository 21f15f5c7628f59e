// Package nodepool reconciles NodePools, and simulates Cluster API with its KubeVirt provider.
package nodepool

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/clusterapi"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

// nodePools reconciles NodePools, and simulates Cluster API with its KubeVirt provider. It creates and deletes
// VirtualMachines and the nodes of the guest.
type nodePools struct {
	reconciler.Base
	controller controller.Controller
	cache      cache.Cache

	mu       sync.Mutex
	watching bool
	// removed has the machines that a pool has deleted, started what its machines boot with: both are remembered, because
	// the cache may be late and reading costs requests.
	removed, started sync.Map
	// infra are the clients of other clusters that run VMs.
	infra sync.Map
	// draining has the drains of nodes that wait for pods.
	draining sync.Map
	// sizes has the desired sizes of autoscaled pools, by pool.key.
	sizes sync.Map
}

// Setup adds the reconciler of NodePools to the manager.
func Setup(mgr ctrl.Manager, b reconciler.Base) error { return (&nodePools{Base: b}).setup(mgr) }

func (r *nodePools) setup(mgr ctrl.Manager) error {
	c, err := ctrl.NewControllerManagedBy(mgr).Named("nodepool").
		For(&hyperv1.NodePool{}).
		Watches(&hyperv1.HostedCluster{}, handler.EnqueueRequestsFromMapFunc(r.ofCluster)).
		WithOptions(r.ControllerOptions()).
		Build(r)
	if err != nil {
		return fmt.Errorf("build the NodePool controller: %w", err)
	}
	r.controller, r.cache = c, mgr.GetCache()
	return nil
}

func (r *nodePools) ofCluster(ctx context.Context, o client.Object) []reconcile.Request {
	list := &hyperv1.NodePoolList{}
	if err := r.Cached.List(ctx, list, client.InNamespace(o.GetNamespace())); err != nil {
		return nil
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if list.Items[i].Spec.ClusterName == o.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return requests
}

// watchMachines starts to watch VirtualMachines, whose kind may not exist when the operator starts.
func (r *nodePools) watchMachines() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watching {
		return nil
	}
	byPool := handler.TypedEnqueueRequestsFromMapFunc(
		func(_ context.Context, vm *kubevirtv1.VirtualMachine) []reconcile.Request {
			key, ok := metadata.SplitKey(vm.Annotations[metadata.NodePoolAnnotation])
			if !ok {
				return nil
			}
			return []reconcile.Request{{NamespacedName: key}}
		})
	if err := r.controller.Watch(source.Kind(r.cache, &kubevirtv1.VirtualMachine{}, byPool)); err != nil {
		return fmt.Errorf("watch VirtualMachines: %w", err)
	}
	machines := &metav1.PartialObjectMetadata{}
	machines.SetGroupVersionKind(clusterapi.GVK("Machine"))
	deleted := handler.TypedEnqueueRequestsFromMapFunc(
		func(_ context.Context, m *metav1.PartialObjectMetadata) []reconcile.Request {
			key, ok := metadata.SplitKey(m.Annotations[metadata.NodePoolAnnotation])
			if !ok || m.DeletionTimestamp.IsZero() {
				return nil
			}
			return []reconcile.Request{{NamespacedName: key}}
		})
	if err := r.controller.Watch(source.Kind(r.cache, machines, deleted)); err != nil {
		return fmt.Errorf("watch Machines: %w", err)
	}
	r.watching = true
	return nil
}

func (r *nodePools) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	np := &hyperv1.NodePool{}
	if err := r.Cached.Get(ctx, req.NamespacedName, np); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if r.FaultOn(fault.OperatorHangs, np) {
		return reconcile.Result{}, nil
	}
	if !np.DeletionTimestamp.IsZero() {
		return r.delete(ctx, np)
	}
	hc := &hyperv1.HostedCluster{}
	if err := r.Cached.Get(ctx, types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName}, hc); err != nil {
		return reconcile.Result{}, fmt.Errorf("failed to get HostedCluster of NodePool %s: %w", req, err)
	}
	if !hc.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil
	}
	if done, err := r.adopt(ctx, np, hc); err != nil || !done {
		if apierrors.IsConflict(err) {
			return reconcile.Result{RequeueAfter: reconciler.ConflictDelay}, nil
		}
		return reconcile.Result{}, err
	}
	before := np.DeepCopy()
	wait, err := r.reconcile(ctx, np, hc)
	if perr := r.noteAnnotations(ctx, np, before); perr != nil {
		return reconcile.Result{RequeueAfter: reconciler.ConflictDelay}, client.IgnoreNotFound(perr)
	}
	if !equality.Semantic.DeepEqual(before.Status, np.Status) {
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if perr := r.Client.Status().Patch(ctx, np, patch); perr != nil {
			if apierrors.IsConflict(perr) {
				return reconcile.Result{RequeueAfter: reconciler.ConflictDelay}, nil
			}
			return reconcile.Result{}, fmt.Errorf("write the status of NodePool %s: %w", req, perr)
		}
	}
	return reconcile.Result{RequeueAfter: wait}, err
}

// adopt writes the finalizer, owner and annotation of every NodePool. It returns false after a change.
func (r *nodePools) adopt(ctx context.Context, np *hyperv1.NodePool, hc *hyperv1.HostedCluster) (bool, error) {
	before := np.DeepCopy()
	controllerutil.AddFinalizer(np, metadata.Finalizer)
	if err := controllerutil.SetOwnerReference(hc, np, r.Scheme); err != nil {
		return false, fmt.Errorf("own NodePool %s/%s: %w", np.Namespace, np.Name, err)
	}
	if r.Features.Has(reconciler.CanonicalImages) {
		metadata.Add(&np.Annotations, map[string]string{canonicalImagesAnnotation: "true"})
	}
	if equality.Semantic.DeepEqual(before.ObjectMeta, np.ObjectMeta) {
		return true, nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, np, patch); err != nil {
		return false, fmt.Errorf("adopt NodePool %s/%s: %w", np.Namespace, np.Name, err)
	}
	return false, nil
}

// delete drains and deletes the machines, then their start Secrets.
func (r *nodePools) delete(ctx context.Context, np *hyperv1.NodePool) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(np, metadata.Finalizer) {
		return reconcile.Result{}, nil
	}
	p := r.poolOf(np)
	hc := &hyperv1.HostedCluster{}
	err := r.Cached.Get(ctx, types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName}, hc)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("failed to get HostedCluster of NodePool %s/%s: %w", np.Namespace, np.Name, err)
	}
	if err := p.locate(ctx, hc); err != nil {
		return reconcile.Result{}, err
	}
	if err := p.load(ctx); err != nil {
		return reconcile.Result{}, err
	}
	if err := p.release(ctx); err != nil {
		return reconcile.Result{}, err
	}
	if len(p.machines) > 0 {
		if err := r.watchMachines(); err != nil {
			return reconcile.Result{}, err
		}
		if err := p.deleteDeployment(ctx); err != nil {
			return reconcile.Result{}, err
		}
		if err := p.holdMachine(ctx); err != nil {
			return reconcile.Result{}, err
		}
		wait := r.Pace.Scale(2 * time.Second)
		for i := range p.machines {
			left, err := p.remove(ctx, &p.machines[i])
			if err != nil {
				return reconcile.Result{}, err
			}
			wait = reconciler.Soonest(wait, left)
		}
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	if err := p.sweepNodes(ctx); err != nil {
		return reconcile.Result{}, err
	}
	if err := p.deleteSecrets(ctx); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.ClusterAPI.RemovePool(ctx, p.namespace, client.ObjectKeyFromObject(np)); err != nil {
		return reconcile.Result{}, err
	}
	r.started.Range(func(id, _ any) bool {
		if text, ok := id.(string); ok && strings.HasPrefix(text, p.key()) {
			r.started.Delete(id)
		}
		return true
	})
	r.Stages.Forget(p.key())
	r.sizes.Delete(p.key())
	before := np.DeepCopy()
	controllerutil.RemoveFinalizer(np, metadata.Finalizer)
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, np, patch); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("failed to remove finalizer from nodepool: %w", err)
	}
	return reconcile.Result{}, nil
}

// deleteDeployment begins the deletion of the pool's MachineDeployment, which its machines outlive for a while.
func (p *pool) deleteDeployment(ctx context.Context) error {
	if _, done := p.started.LoadOrStore(p.key()+"deleted", true); done {
		return nil
	}
	return p.ClusterAPI.Delete(ctx, "MachineDeployment", p.namespace, p.np.Name)
}

// deleteSecrets deletes the token and user-data Secrets of the pool.
func (p *pool) deleteSecrets(ctx context.Context) error {
	if err := p.deleteSecretsOf(ctx, p.Client, p.namespace); err != nil || !p.away() {
		return err
	}
	return p.deleteSecretsOf(ctx, p.vms, p.vmNamespace)
}

func (p *pool) deleteSecretsOf(ctx context.Context, c client.Client, namespace string) error {
	list := &corev1.SecretList{}
	if err := c.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("failed to list secrets: %w", err)
	}
	for i := range list.Items {
		s := &list.Items[i]
		copied := strings.HasPrefix(s.Name, "user-data-"+p.np.Name+"-") && strings.HasSuffix(s.Name, "-userdata")
		if s.Annotations[metadata.NodePoolAnnotation] != p.np.Namespace+"/"+p.np.Name && !copied {
			continue
		}
		if err := c.Delete(ctx, s); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("failed to delete secret: %w", err)
		}
	}
	return nil
}
