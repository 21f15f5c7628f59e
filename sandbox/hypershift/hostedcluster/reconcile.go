// Package hostedcluster reconciles HostedClusters: defaults, gates, the control plane namespace, conditions and
// deletion.
package hostedcluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
)

// hostedClusters reconciles HostedClusters: the gates, the control plane namespace and its objects, and the conditions,
// most of which it copies from the HostedControlPlane.
type hostedClusters struct {
	reconciler.Base
	// owning has the UIDs of the HostedClusters whose Secrets are owned.
	owning sync.Map
}

// Setup adds the reconciler of HostedClusters to the manager.
func Setup(mgr ctrl.Manager, b reconciler.Base) error {
	return (&hostedClusters{Base: b}).setup(mgr)
}

func (r *hostedClusters) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("hostedcluster").
		For(&hyperv1.HostedCluster{}).
		Watches(&hyperv1.HostedControlPlane{}, handler.EnqueueRequestsFromMapFunc(byClusterAnnotation)).
		Watches(&hyperv1.NodePool{}, handler.EnqueueRequestsFromMapFunc(byNodePool)).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.byNamespace)).
		Watches(&appsv1.Deployment{}, handler.EnqueueRequestsFromMapFunc(r.byNamespaceOf)).
		Watches(&corev1.Service{}, handler.EnqueueRequestsFromMapFunc(r.byNamespaceOf)).
		WithOptions(r.ControllerOptions()).
		Complete(r)
}

func byClusterAnnotation(_ context.Context, o client.Object) []reconcile.Request {
	if key, ok := metadata.ClusterOf(o); ok {
		return []reconcile.Request{{NamespacedName: key}}
	}
	return nil
}

func byNodePool(_ context.Context, o client.Object) []reconcile.Request {
	np, ok := o.(*hyperv1.NodePool)
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName}}}
}

func (r *hostedClusters) byNamespace(ctx context.Context, o client.Object) []reconcile.Request {
	return r.ownerOfNamespace(ctx, o.GetName())
}

func (r *hostedClusters) byNamespaceOf(ctx context.Context, o client.Object) []reconcile.Request {
	if o.GetName() != workload.IgnitionServer && o.GetName() != ignitionProxy {
		return nil
	}
	return r.ownerOfNamespace(ctx, o.GetNamespace())
}

func (r *hostedClusters) ownerOfNamespace(ctx context.Context, namespace string) []reconcile.Request {
	list := &hyperv1.HostedClusterList{}
	if err := r.Cached.List(ctx, list); err != nil {
		return nil
	}
	for i := range list.Items {
		hc := &list.Items[i]
		if metadata.ControlPlaneNamespace(hc.Namespace, hc.Name) == namespace {
			return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(hc)}}
		}
	}
	return nil
}

// errSilent is a failure before the operator writes any condition. The HostedCluster has no new condition while it
// lasts.
type errSilent struct{ cause error }

func (e *errSilent) Error() string { return e.cause.Error() }
func (e *errSilent) Unwrap() error { return e.cause }

func (r *hostedClusters) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	hc := &hyperv1.HostedCluster{}
	if err := r.Cached.Get(ctx, req.NamespacedName, hc); err != nil {
		if apierrors.IsNotFound(err) {
			r.Stages.Forget("hc/" + req.String() + "/")
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, fmt.Errorf("get HostedCluster %s: %w", req, err)
	}
	if r.FaultOn(fault.OperatorHangs, hc) {
		return reconcile.Result{}, nil
	}
	if !hc.DeletionTimestamp.IsZero() {
		return r.delete(ctx, hc)
	}
	// The operator needs a moment to see a new object and to send its first requests.
	if left := r.Stages.Remaining("hc/"+req.String()+"/seen", 500*time.Millisecond); left > 0 {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	result, err := r.reconcile(ctx, hc)
	var silent *errSilent
	switch {
	case errors.Is(err, errChanged):
		return result, nil
	case apierrors.IsConflict(err):
		return reconcile.Result{RequeueAfter: reconciler.ConflictDelay}, nil
	case errors.As(err, &silent):
		return result, err
	}
	outcome := status.Condition{Kind: string(hyperv1.ReconciliationSucceeded), Status: metav1.ConditionTrue,
		Reason: reasonReconciled, Message: msgReconciled}
	if err != nil {
		outcome = status.Condition{Kind: string(hyperv1.ReconciliationSucceeded), Status: metav1.ConditionFalse,
			Reason: reasonReconcileError, Message: err.Error()}
	}
	perr := r.patchStatus(ctx, hc, func(hc *hyperv1.HostedCluster) {
		status.Set(&hc.Status.Conditions, hc.Generation, outcome)
	})
	if apierrors.IsConflict(perr) && err == nil {
		return reconcile.Result{RequeueAfter: reconciler.ConflictDelay}, nil
	}
	return result, errors.Join(err, perr)
}

// errChanged ends a reconcile because it changed the object, which triggers the next one.
var errChanged = errors.New("the object was changed")

// patchStatus applies change to the status and writes it if it differs.
func (r *hostedClusters) patchStatus(ctx context.Context, hc *hyperv1.HostedCluster,
	change func(*hyperv1.HostedCluster)) error {
	return r.patchStatusFrom(ctx, hc, nil, change)
}

// patchStatusFrom also takes over the newer fields of the control plane, if there is one.
func (r *hostedClusters) patchStatusFrom(ctx context.Context, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane, change func(*hyperv1.HostedCluster)) error {
	before := hc.DeepCopy()
	change(hc)
	fields, moved, err := r.newer(ctx, hc, hcp)
	if err != nil {
		return err
	}
	if !moved && equality.Semantic.DeepEqual(before.Status, hc.Status) {
		return nil
	}
	if err := r.UpdateStatus(ctx, hc, fields); err != nil {
		return fmt.Errorf("failed to update status: %w", client.IgnoreNotFound(err))
	}
	return nil
}

func (r *hostedClusters) reconcile(ctx context.Context, hc *hyperv1.HostedCluster) (reconcile.Result, error) {
	done, err := r.platformDefaults(ctx, hc)
	switch {
	case apierrors.IsConflict(err):
		return reconcile.Result{}, err
	case err != nil:
		return reconcile.Result{}, &errSilent{err}
	case !done:
		return reconcile.Result{}, errChanged
	}
	hcp, err := r.controlPlane(ctx, hc)
	if err != nil {
		return reconcile.Result{}, err
	}
	gate, err := r.checkRelease(ctx, hc)
	if err != nil {
		return reconcile.Result{}, err
	}
	invalid := r.validateConfiguration(ctx, hc)
	if err := r.writeStatus(ctx, hc, hcp, gate, invalid); err != nil {
		return reconcile.Result{}, err
	}
	before := hc.DeepCopy()
	if controllerutil.AddFinalizer(hc, metadata.Finalizer) {
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.Client.Patch(ctx, hc, patch); err != nil {
			return reconcile.Result{}, fmt.Errorf("failed to add finalizer to cluster: %w", err)
		}
	}
	if paused, err := status.Paused(hc.Spec.PausedUntil, time.Now()); err == nil && paused {
		return reconcile.Result{RequeueAfter: status.ResumesIn(hc.Spec.PausedUntil, time.Now())}, r.pauseControlPlane(ctx, hc,
			hcp)
	}
	if err := r.defaultIDs(ctx, hc); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.noteAvailable(ctx, hc); err != nil {
		return reconcile.Result{}, err
	}
	if invalid != nil {
		return reconcile.Result{}, fmt.Errorf("configuration is invalid: %w", invalid)
	}
	switch {
	case gate.valid.Status == metav1.ConditionTrue:
	case gate.valid.Reason == hyperv1.SecretNotFoundReason:
		return reconcile.Result{}, fmt.Errorf("failed to get pull secret: %s", gate.valid.Message)
	case gate.valid.Reason == hyperv1.PayloadArchNotFoundReason:
		// The registry may answer later. An unsupported version needs a new spec.
		return reconcile.Result{RequeueAfter: r.Pace.Scale(10 * time.Second)}, nil
	default:
		return reconcile.Result{}, nil
	}
	if _, err := upgrading(hc, gate.release); err != nil {
		return reconcile.Result{}, nil //nolint:nilerr // Progressing has the error
	}
	return reconcile.Result{}, r.ensureControlPlane(ctx, hc, hcp)
}

// controlPlane reads the HostedControlPlane. It returns nil if there is none.
func (r *hostedClusters) controlPlane(ctx context.Context,
	hc *hyperv1.HostedCluster) (*hyperv1.HostedControlPlane, error) {
	hcp := &hyperv1.HostedControlPlane{}
	key := types.NamespacedName{Namespace: metadata.ControlPlaneNamespace(hc.Namespace, hc.Name), Name: hc.Name}
	err := r.Cached.Get(ctx, key, hcp)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // a missing control plane is a normal state
	}
	if err != nil {
		return nil, fmt.Errorf("failed to get hostedcontrolplane: %w", err)
	}
	return hcp, nil
}

func (r *hostedClusters) writeStatus(ctx context.Context, hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane,
	gate releaseGate, invalid error) error {
	ignition, err := r.ignition(ctx, hc)
	if err != nil {
		return err
	}
	unmigratable, err := r.unmigratablePools(ctx, hc)
	if err != nil {
		return err
	}
	seen := observation{hcp: hcp, gate: gate, invalid: invalid, ignition: ignition, unmigratable: unmigratable}
	return r.patchStatusFrom(ctx, hc, hcp, func(hc *hyperv1.HostedCluster) { describeHosted(r.Features, hc, seen) })
}
