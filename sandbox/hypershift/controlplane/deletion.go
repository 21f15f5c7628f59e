package controlplane

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// delete deletes a control plane. With the cleanup annotation it scales down the cluster version operator and cleans up
// the guest first; then the guest's API server ends and the finalizer is removed.
func (r *controlPlanes) delete(ctx context.Context, hcp *hyperv1.HostedControlPlane) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(hcp, metadata.Finalizer) {
		return reconcile.Result{}, nil
	}
	if absent, err := r.withoutOperator(ctx, hcp.Namespace); err != nil || absent {
		return reconcile.Result{RequeueAfter: r.Pace.Scale(2 * time.Second)}, err
	}
	if hcp.Annotations[hyperv1.CleanupCloudResourcesAnnotation] == "true" {
		if left, err := r.cleanUpGuest(ctx, hcp); err != nil || left > 0 {
			return reconcile.Result{RequeueAfter: left}, err
		}
	}
	if err := r.Guests.Remove(hcp.Namespace); err != nil {
		return reconcile.Result{}, err
	}
	r.Stages.Forget("hcp/" + hcp.Namespace + "/")
	r.forgetObjects(hcp.UID)
	r.rooted.Delete(hcp.UID)
	before := hcp.DeepCopy()
	controllerutil.RemoveFinalizer(hcp, metadata.Finalizer)
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, hcp, patch); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("failed to remove finalizer from hostedControlPlane: %w", err)
	}
	return reconcile.Result{}, nil
}
