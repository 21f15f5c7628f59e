package hostedcluster

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// The order is the vendor's: NodePools, their machines, the HostedControlPlane (which cleans up the guest if
// requested), the namespace, and then the HostedCluster's own finalizer. Kubernetes collects the operator's objects in
// the HostedCluster's namespace, which it owns.
//
// It owns the Secrets with labels hypershift.openshift.io/safe-to-delete-with-cluster and auto-created-for-infra, too.
// Other Secrets of users and tools stay.

// delete takes one step and returns when to continue.
func (r *hostedClusters) delete(ctx context.Context, hc *hyperv1.HostedCluster) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(hc, metadata.Finalizer) {
		return reconcile.Result{}, nil
	}
	again := reconcile.Result{RequeueAfter: r.Pace.Scale(2 * time.Second)}
	hcp, err := r.controlPlane(ctx, hc)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := r.copyDestroyed(ctx, hc, hcp); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.passCleanupOn(ctx, hc, hcp); err != nil {
		return reconcile.Result{}, err
	}
	for _, step := range []func(context.Context, *hyperv1.HostedCluster) (bool, error){
		r.nodePoolsGone, r.clusterGone, r.hcpGone, r.namespaceGone,
	} {
		if gone, err := step(ctx, hc); err != nil || !gone {
			return again, err
		}
	}
	if left, err := r.gracePeriod(ctx, hc); err != nil || left > 0 {
		return reconcile.Result{RequeueAfter: left}, err
	}
	before := hc.DeepCopy()
	controllerutil.RemoveFinalizer(hc, metadata.Finalizer)
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, hc, patch); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("failed to remove finalizer from hostedcluster: %w", err)
	}
	return reconcile.Result{}, nil
}

// copyDestroyed copies CloudResourcesDestroyed as soon as the control plane is being deleted.
func (r *hostedClusters) copyDestroyed(ctx context.Context, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane) error {
	if hcp == nil || hcp.DeletionTimestamp.IsZero() {
		return nil
	}
	c := status.Unknown(hyperv1.CloudResourcesDestroyed, "")
	if told := meta.FindStatusCondition(hcp.Status.Conditions, string(hyperv1.CloudResourcesDestroyed)); told != nil {
		c = status.Condition{Kind: told.Type, Status: told.Status, Reason: told.Reason, Message: told.Message}
	}
	return r.patchStatus(ctx, hc, func(hc *hyperv1.HostedCluster) { status.Set(&hc.Status.Conditions, hc.Generation, c) })
}

func (r *hostedClusters) passCleanupOn(ctx context.Context, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane) error {
	if hcp == nil || hc.Annotations[hyperv1.CleanupCloudResourcesAnnotation] != "true" ||
		hcp.Annotations[hyperv1.CleanupCloudResourcesAnnotation] == "true" {
		return nil
	}
	before := hcp.DeepCopy()
	metadata.Add(&hcp.Annotations, map[string]string{hyperv1.CleanupCloudResourcesAnnotation: "true"})
	if err := r.Client.Patch(ctx, hcp, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot patch hosted control plane with cleanup annotation: %w", err)
	}
	return nil
}

func (r *hostedClusters) nodePoolsGone(ctx context.Context, hc *hyperv1.HostedCluster) (bool, error) {
	pools, err := r.poolsOf(ctx, hc)
	if err != nil {
		return false, err
	}
	for i := range pools {
		if pools[i].DeletionTimestamp.IsZero() {
			if err := r.Client.Delete(ctx, &pools[i]); client.IgnoreNotFound(err) != nil {
				return false, fmt.Errorf("failed to delete NodePool %s: %w", pools[i].Name, err)
			}
		}
	}
	return len(pools) == 0, nil
}

func (r *hostedClusters) poolsOf(ctx context.Context, hc *hyperv1.HostedCluster) ([]hyperv1.NodePool, error) {
	list := &hyperv1.NodePoolList{}
	if err := r.Cached.List(ctx, list, client.InNamespace(hc.Namespace)); err != nil {
		return nil, fmt.Errorf("failed to list NodePools: %w", err)
	}
	var pools []hyperv1.NodePool
	for i := range list.Items {
		if list.Items[i].Spec.ClusterName == hc.Name {
			pools = append(pools, list.Items[i])
		}
	}
	return pools, nil
}

// clusterGone waits for Cluster API's Cluster.
func (r *hostedClusters) clusterGone(ctx context.Context, hc *hyperv1.HostedCluster) (bool, error) {
	if hc.Spec.InfraID == "" {
		return true, nil
	}
	return r.ClusterAPI.RemoveCluster(ctx, metadata.ControlPlaneNamespace(hc.Namespace, hc.Name), hc.Spec.InfraID)
}

func (r *hostedClusters) hcpGone(ctx context.Context, hc *hyperv1.HostedCluster) (bool, error) {
	hcp := &hyperv1.HostedControlPlane{ObjectMeta: metav1.ObjectMeta{
		Namespace: metadata.ControlPlaneNamespace(hc.Namespace, hc.Name), Name: hc.Name,
	}}
	return deleteAndCheck(ctx, r.Client, hcp)
}

func (r *hostedClusters) namespaceGone(ctx context.Context, hc *hyperv1.HostedCluster) (bool, error) {
	if hc.Annotations["hypershift.openshift.io/skip-delete-hosted-controlplane-namespace"] == "true" {
		return true, nil
	}
	name := metadata.ControlPlaneNamespace(hc.Namespace, hc.Name)
	return deleteAndCheck(ctx, r.Client, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// deleteAndCheck deletes an object that is not being deleted yet, and reports whether it is gone.
func deleteAndCheck(ctx context.Context, c client.Client, o client.Object) (bool, error) {
	err := c.Get(ctx, client.ObjectKeyFromObject(o), o)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("get %T %s: %w", o, o.GetName(), err)
	}
	if !o.GetDeletionTimestamp().IsZero() {
		return false, nil
	}
	if err := c.Delete(ctx, o); client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("delete %T %s: %w", o, o.GetName(), err)
	}
	return false, nil
}

// gracePeriod returns how long the destroy-grace-period annotation still keeps the finalized HostedCluster.
func (r *hostedClusters) gracePeriod(ctx context.Context, hc *hyperv1.HostedCluster) (time.Duration, error) {
	text := hc.Annotations[hyperv1.HCDestroyGracePeriodAnnotation]
	if text == "" {
		return 0, nil
	}
	period, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("failed to parse %s annotation: %w", hyperv1.HCDestroyGracePeriodAnnotation, err)
	}
	err = r.patchStatus(ctx, hc, func(hc *hyperv1.HostedCluster) {
		status.Set(&hc.Status.Conditions, hc.Generation, status.Condition{
			Kind: string(hyperv1.HostedClusterDestroyed), Status: metav1.ConditionTrue,
			Reason:  hyperv1.WaitingForGracePeriodReason,
			Message: fmt.Sprintf("Grace period set: %v", period),
		})
	})
	if err != nil {
		return 0, err
	}
	c := meta.FindStatusCondition(hc.Status.Conditions, string(hyperv1.HostedClusterDestroyed))
	return max(0, period-time.Since(c.LastTransitionTime.Time)), nil
}

// unmigratablePools returns KubeVirtNodesLiveMigratable of the HostedCluster.
func (r *hostedClusters) unmigratablePools(ctx context.Context, hc *hyperv1.HostedCluster) (status.Condition, error) {
	pools, err := r.poolsOf(ctx, hc)
	if err != nil {
		return status.Condition{}, err
	}
	var names []string
	for i := range pools {
		for _, c := range pools[i].Status.Conditions {
			if c.Type == status.CondLiveMigratable && c.Status == corev1.ConditionFalse {
				names = append(names, pools[i].Name)
			}
		}
	}
	if len(names) == 0 {
		return status.True(hyperv1.KubeVirtNodesLiveMigratable, status.MsgAllIsWell), nil
	}
	return status.False(hyperv1.KubeVirtNodesLiveMigratable, hyperv1.KubeVirtNodesLiveMigratableReason,
		msgUnmigratablePools(names)), nil
}
