// Package controlplane reconciles HostedControlPlanes, as the control plane operator and the config operator do.
package controlplane

import (
	"context"
	"fmt"
	"sync"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/passthrough"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// controlPlanes simulates the control plane operator and the config operator: infrastructure, components in their
// order, the guest's API server and its reports. The real operators run once in each control plane namespace.
type controlPlanes struct {
	reconciler.Base
	catalog releaseCache
	// furnished has the stages of control planes whose objects of objects.tsv are there.
	furnished sync.Map
	// rooted has the UIDs of those whose Secret root-ca has the guest's key pair.
	rooted sync.Map
}

// Setup adds the reconciler of HostedControlPlanes to the manager.
func Setup(mgr ctrl.Manager, b reconciler.Base) error { return (&controlPlanes{Base: b}).setup(mgr) }

func (r *controlPlanes) setup(mgr ctrl.Manager) error {
	inNamespace := handler.EnqueueRequestsFromMapFunc(r.ofNamespace)
	return ctrl.NewControllerManagedBy(mgr).Named("hostedcontrolplane").
		For(&hyperv1.HostedControlPlane{}).
		Watches(&appsv1.Deployment{}, inNamespace).
		Watches(&appsv1.StatefulSet{}, inNamespace).
		Watches(&corev1.Service{}, inNamespace).
		Watches(&routev1.Route{}, inNamespace).
		Watches(&discoveryv1.EndpointSlice{}, inNamespace,
			builder.WithPredicates(predicate.NewPredicateFuncs(publishesApps))).
		WatchesRawSource(source.Channel(r.Guests.Changes, handler.EnqueueRequestsFromMapFunc(r.ofNamespace))).
		WithOptions(r.ControllerOptions()).
		Complete(r)
}

// publishesApps filters out the endpoints of the control plane's own pods, which have their own controllers.
func publishesApps(o client.Object) bool {
	s, ok := o.(*discoveryv1.EndpointSlice)
	if !ok || s.Labels[discoveryv1.LabelManagedBy] == passthrough.SliceManager {
		return false
	}
	for _, p := range s.Ports {
		if p.Port != nil && *p.Port >= 30000 && *p.Port <= 32767 {
			return true
		}
	}
	return false
}

// ofNamespace returns a request for the control plane of an object's namespace.
func (r *controlPlanes) ofNamespace(ctx context.Context, o client.Object) []reconcile.Request {
	list := &hyperv1.HostedControlPlaneList{}
	if err := r.Cached.List(ctx, list, client.InNamespace(o.GetNamespace())); err != nil {
		return nil
	}
	var requests []reconcile.Request
	for i := range list.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return requests
}

func (r *controlPlanes) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	hcp := &hyperv1.HostedControlPlane{}
	if err := r.Cached.Get(ctx, req.NamespacedName, hcp); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !hcp.DeletionTimestamp.IsZero() {
		return r.delete(ctx, hcp)
	}
	if r.FaultOn(fault.OperatorHangs, hcp) {
		return reconcile.Result{}, nil
	}
	// The real operator is the Deployment in this namespace, so without its pod nothing happens.
	cpo := &appsv1.Deployment{}
	err := r.Cached.Get(ctx, types.NamespacedName{Namespace: hcp.Namespace, Name: "control-plane-operator"}, cpo)
	switch {
	case apierrors.IsNotFound(err):
		return reconcile.Result{}, nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("get Deployment %s/control-plane-operator: %w", hcp.Namespace, err)
	case !workload.DeploymentAvailable(cpo) && len(hcp.Status.Conditions) == 0:
		return reconcile.Result{}, nil
	}
	before := hcp.DeepCopy()
	if controllerutil.AddFinalizer(hcp, metadata.Finalizer) {
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.Client.Patch(ctx, hcp, patch); err != nil {
			return reconcile.Result{}, fmt.Errorf("failed to add finalizer to hostedControlPlane: %w", err)
		}
	}
	if err := r.followAPIServer(ctx, hcp); err != nil {
		return reconcile.Result{}, err
	}
	if paused, err := status.Paused(hcp.Spec.PausedUntil, time.Now()); err == nil && paused {
		err := r.patchStatus(ctx, hcp, nil, func(hcp *hyperv1.HostedControlPlane) {
			status.Set(&hcp.Status.Conditions, hcp.Generation, status.ReconciliationActive(hcp.Spec.PausedUntil, time.Now()))
		})
		return reconcile.Result{RequeueAfter: status.ResumesIn(hcp.Spec.PausedUntil, time.Now())}, err
	}
	return r.reconcile(ctx, hcp)
}

// followAPIServer stops the guest's API server while its Deployment has no pods, and starts it again. The pods do that
// themselves in reality, also while the operator is paused.
func (r *controlPlanes) followAPIServer(ctx context.Context, hcp *hyperv1.HostedControlPlane) error {
	namespace := hcp.Namespace
	d := &appsv1.Deployment{}
	err := r.Cached.Get(ctx, types.NamespacedName{Namespace: namespace, Name: "kube-apiserver"}, d)
	switch {
	case err != nil:
		return client.IgnoreNotFound(err)
	case ptr.Deref(d.Spec.Replicas, 1) == 0 && d.Status.Replicas == 0:
		return r.Guests.Stop(namespace)
	case d.Status.ReadyReplicas > 0 && !r.FaultOn(fault.KASUnreachable, hcp):
		r.Guests.Resume(namespace)
	}
	return nil
}

// patchStatus applies change to the status and writes it if it differs. view is nil where nothing is rolled out.
func (r *controlPlanes) patchStatus(ctx context.Context, hcp *hyperv1.HostedControlPlane, view *observation,
	change func(*hyperv1.HostedControlPlane)) error {
	fields, moved, err := r.advance(ctx, hcp, view)
	if err != nil {
		return err
	}
	before := hcp.DeepCopy()
	change(hcp)
	if !moved && equality.Semantic.DeepEqual(before.Status, hcp.Status) {
		return nil
	}
	if err := r.UpdateStatus(ctx, hcp, fields); err != nil {
		return fmt.Errorf("failed to update status of HostedControlPlane %s/%s: %w", hcp.Namespace, hcp.Name, err)
	}
	return nil
}

// reconcile takes the next steps of the control plane and writes its status.
func (r *controlPlanes) reconcile(ctx context.Context, hcp *hyperv1.HostedControlPlane) (reconcile.Result, error) {
	payload, err := r.Registry().Lookup(hcp.Spec.ReleaseImage)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("failed to look up release image metadata: %w", err)
	}
	if err := r.ensureOperators(ctx, hcp, payload.Version); err != nil {
		return reconcile.Result{}, err
	}
	ways, err := r.ensureInfrastructure(ctx, hcp)
	if err != nil {
		return reconcile.Result{}, err
	}
	view := observation{payload: payload, infra: ways}
	if ways.ready() {
		if left := r.Stages.Remaining("hcp/"+hcp.Namespace+"/infra", time.Second); left > 0 {
			view.wait = left
		} else if err := r.rollOut(ctx, hcp, &view); err != nil {
			return reconcile.Result{}, err
		}
	}
	if err := r.observe(ctx, hcp, &view); err != nil {
		return reconcile.Result{}, err
	}
	err = r.patchStatus(ctx, hcp, &view, func(hcp *hyperv1.HostedControlPlane) { r.describe(hcp, &view) })
	if apierrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: reconciler.ConflictDelay}, nil
	}
	// Messages contain ages, and endpoints can change without an event in the cluster, so look again.
	again := max(r.Pace.Scale(15*time.Second), time.Second)
	if view.version.Done && !view.version.Stuck {
		again = max(again, resyncInterval) // at any speed, or a hundred control planes would use all processor time
	}
	return reconcile.Result{RequeueAfter: reconciler.Soonest(view.wait, again)}, err
}

// resyncInterval is the minimum time between two looks at a healthy control plane.
const resyncInterval = 5 * time.Second

// observation is the state of a control plane in one reconcile.
type observation struct {
	payload       release.Payload
	infra         infra
	components    []componentState
	etcd          status.Condition
	kas           status.Condition
	kasUp         bool
	unavailable   []error // of each Deployment with unavailable replicas
	guest         guest.State
	health        string // why the endpoint fails its health check, or empty
	version       guest.Rollout
	apps          guest.AppsAccess
	versionStatus *hyperv1.ClusterVersionStatus // the status of the guest's ClusterVersion
	encryption    status.Condition              // empty where it stays as it is
	nodes         int                           // ready nodes of the guest
	kubeconfig    bool
	password      bool
	wait          time.Duration
}

func (v *observation) component(name string) *componentState {
	for i := range v.components {
		if v.components[i].name == name {
			return &v.components[i]
		}
	}
	return nil
}

func (v *observation) available(name string) bool {
	c := v.component(name)
	return c != nil && c.available
}
