package controlplane

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/passthrough"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// When a deletion asks for it, the operators remove what the guest created outside itself. The cluster version operator
// is scaled down, and the config operator deletes Services of type LoadBalancer and volumes in the guest, until none
// remains or the control plane operator gives up.
const (
	// cleanupTimeout is how long the control plane operator waits for the condition to change.
	cleanupTimeout = 10 * time.Minute

	reasonRemaining    = "RemainingCloudResources"
	reasonTimedOut     = "CloudResourcesDeletionTimedOut"
	reasonCVODown      = "CVOScaledDown"
	condCVODown        = "CVOScaledDown"
	reasonCleanupError = "ErrorOccurred"
)

// cleanUpGuest takes the next step of the cleanup and returns when to continue. 0 means that the cleanup has ended,
// complete or not.
func (r *controlPlanes) cleanUpGuest(ctx context.Context, hcp *hyperv1.HostedControlPlane) (time.Duration, error) {
	prefix := "hcp/" + hcp.Namespace + "/"
	told := meta.FindStatusCondition(hcp.Status.Conditions, string(hyperv1.CloudResourcesDestroyed))
	if told != nil && (told.Status == metav1.ConditionTrue || told.Reason == reasonTimedOut) {
		return r.Stages.Remaining(prefix+"cleared", 500*time.Millisecond), nil
	}
	if err := r.scaleDownCVO(ctx, hcp); err != nil {
		return 0, err
	}
	if left := r.Stages.Remaining(prefix+"clear", time.Second); left > 0 {
		return left, nil
	}
	c := status.Condition{Kind: string(hyperv1.CloudResourcesDestroyed), Status: metav1.ConditionTrue,
		Reason: reasonDestroyed, Message: msgResourcesDestroyed}
	remaining, err := r.deleteCloudResources(ctx, hcp)
	switch {
	case err != nil:
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, reasonCleanupError, fmt.Sprintf("Error: %v", err)
	case len(remaining) > 0:
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, reasonRemaining, "Remaining resources: "+
			strings.Join(remaining, ",")
	}
	again := r.Stages.Remaining(prefix+"cleared", 500*time.Millisecond)
	if c.Status == metav1.ConditionFalse {
		patience := r.Stages.Remaining(prefix+"patience", cleanupTimeout)
		again = reconciler.Soonest(patience, r.Pace.Scale(3*time.Second))
		switch {
		case patience == 0 && !r.Features.Has(reconciler.TimedOut):
			return r.Stages.Remaining(prefix+"cleared", 500*time.Millisecond), nil
		case patience == 0:
			c.Reason = reasonTimedOut
			c.Message = fmt.Sprintf("Giving up on cloud resource deletion after %s (last status: %s)", "10m", c.Message)
			again = r.Stages.Remaining(prefix+"cleared", 500*time.Millisecond)
		}
	}
	return max(again, time.Millisecond), r.patchStatus(ctx, hcp, nil, func(hcp *hyperv1.HostedControlPlane) {
		status.Set(&hcp.Status.Conditions, hcp.Generation,
			status.Condition{Kind: condCVODown, Status: metav1.ConditionTrue, Reason: reasonCVODown, Message: ""})
		status.Set(&hcp.Status.Conditions, hcp.Generation, c)
	})
}

func (r *controlPlanes) scaleDownCVO(ctx context.Context, hcp *hyperv1.HostedControlPlane) error {
	cvo := &appsv1.Deployment{}
	err := r.Client.Get(ctx, types.NamespacedName{Namespace: hcp.Namespace, Name: "cluster-version-operator"}, cvo)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("failed get CVO deployment: %w", err)
	}
	if err != nil || ptr.Deref(cvo.Spec.Replicas, 1) == 0 {
		return nil
	}
	before := cvo.DeepCopy()
	cvo.Spec.Replicas = ptr.To[int32](0)
	if err := r.Client.Patch(ctx, cvo, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("failed to scale down CVO deployment: %w", err)
	}
	return nil
}

// deleteCloudResources deletes what the guest created outside itself and returns the remaining kinds, by the operator's
// names. A guest that was never reachable has none.
func (r *controlPlanes) deleteCloudResources(ctx context.Context, hcp *hyperv1.HostedControlPlane) ([]string, error) {
	state := r.Guests.Get(hcp.Namespace)
	if state.Phase != guest.Running || state.Client == nil {
		return nil, nil
	}
	var remaining []string
	services, err := deleteServices(ctx, state.Client)
	if err != nil {
		return nil, err
	}
	if services > 0 {
		remaining = append(remaining, "loadbalancers")
	}
	volumes, err := deleteVolumes(ctx, state.Client)
	if err != nil {
		return nil, err
	}
	if volumes > 0 {
		remaining = append(remaining, "persistent-volumes")
	}
	return remaining, nil
}

// deleteServices deletes the load balancers of a guest, except its routers', and counts the remaining ones.
func deleteServices(ctx context.Context, c client.Client) (int, error) {
	list := &corev1.ServiceList{}
	if err := c.List(ctx, list); err != nil {
		return 0, fmt.Errorf("failed to remove load balancer services: %w", err)
	}
	left := 0
	for i := range list.Items {
		s := &list.Items[i]
		if s.Spec.Type != corev1.ServiceTypeLoadBalancer || s.Labels[passthrough.OwningIngress] != "" ||
			s.Annotations[passthrough.OwningIngress] != "" {
			continue
		}
		left++
		if err := c.Delete(ctx, s); client.IgnoreNotFound(err) != nil {
			return 0, fmt.Errorf("failed to remove load balancer services: %w", err)
		}
	}
	return left, nil
}

// deleteVolumes deletes the claims of a guest and counts the remaining volumes. It also simulates the controllers that
// remove the protection finalizers and delete the volumes, because none runs in a guest.
func deleteVolumes(ctx context.Context, c client.Client) (int, error) {
	volumes := &corev1.PersistentVolumeList{}
	if err := c.List(ctx, volumes); err != nil {
		return 0, fmt.Errorf("cannot list persistent volumes: %w", err)
	}
	if len(volumes.Items) == 0 {
		return 0, nil
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := c.List(ctx, claims); err != nil {
		return 0, fmt.Errorf("failed to remove persistent volume claims: %w", err)
	}
	held := map[types.UID]bool{}
	for i := range claims.Items {
		held[claims.Items[i].UID] = true
		if err := deleteAndRelease(ctx, c, &claims.Items[i], "kubernetes.io/pvc-protection"); err != nil {
			return 0, err
		}
	}
	for i := range volumes.Items {
		if ref := volumes.Items[i].Spec.ClaimRef; ref != nil && !held[ref.UID] {
			if err := deleteAndRelease(ctx, c, &volumes.Items[i], "kubernetes.io/pv-protection"); err != nil {
				return 0, err
			}
		}
	}
	return len(volumes.Items), nil
}

// deleteAndRelease deletes an object and removes one finalizer from it.
func deleteAndRelease(ctx context.Context, c client.Client, o client.Object, finalizer string) error {
	if slices.Contains(o.GetFinalizers(), finalizer) {
		before, ok := o.DeepCopyObject().(client.Object)
		if !ok {
			return fmt.Errorf("%T does not copy to an object", o)
		}
		controllerutil.RemoveFinalizer(o, finalizer)
		if err := c.Patch(ctx, o, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("release %T %s of the guest: %w", o, client.ObjectKeyFromObject(o), err)
		}
	}
	if err := c.Delete(ctx, o); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %s of the guest: %w", o, client.ObjectKeyFromObject(o), err)
	}
	return nil
}
