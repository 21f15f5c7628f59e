package deletion

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// cleanupRequested is OK if the HostedCluster requests the wanted cleanup of its own load balancers and volumes. It
// runs before the detaching, because the hypershift addon imports a cluster again when its HostedCluster is edited.
func (d *Plan) cleanupRequested(ctx context.Context, r kube.Reader) step.Finding {
	hc, err := d.hostedCluster(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("HostedCluster %s", d.key())
	}
	if hc == nil {
		return step.OK("gone already").On("HostedCluster %s", d.key())
	}
	requested := wantsCleanup(hc)
	switch {
	case d.options.DestroyCloudResources && requested:
		return step.OK("the cleanup of its load balancers and volumes is requested").On("HostedCluster %s", d.key())
	case d.options.DestroyCloudResources && hc.DeletionTimestamp == nil:
		return step.Missing("the cleanup of its load balancers and volumes is not requested yet").On("HostedCluster %s",
			d.key())
	case d.options.DestroyCloudResources:
		return step.OK("being deleted already, without cleaning up first").On("HostedCluster %s", d.key())
	}
	hcp, err := d.hostedControlPlane(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("HostedControlPlane %s/%s", d.controlPlaneName(), d.Name)
	}
	if requested || hcp != nil && wantsCleanup(hcp) {
		return step.Missing("the cleanup of its load balancers and volumes is requested, and not wanted").
			On("HostedCluster %s", d.key())
	}
	return step.OK("the cleanup of its load balancers and volumes is not requested").On("HostedCluster %s", d.key())
}

func wantsCleanup(o client.Object) bool {
	return o.GetAnnotations()[hyperv1.CleanupCloudResourcesAnnotation] == "true"
}

func (d *Plan) requestCleanup(ctx context.Context) (step.Change, error) {
	if !d.options.DestroyCloudResources {
		return d.cancelCleanup(ctx)
	}
	hc := &hyperv1.HostedCluster{}
	hc.Namespace, hc.Name = d.Namespace, d.Name
	return d.annotate(ctx, hc, hostedcluster.HostedClusterKind, `"true"`)
}

// cancelCleanup withdraws the request to clean up. The operator copies the annotation from the HostedCluster to the
// HostedControlPlane and never removes it there (v0.1.80), so both are changed.
func (d *Plan) cancelCleanup(ctx context.Context) (step.Change, error) {
	change := step.Unchanged
	hc, err := d.hostedCluster(ctx, d.client)
	if err == nil && hc != nil && wantsCleanup(hc) {
		change, err = d.annotate(ctx, hc, hostedcluster.HostedClusterKind, "null")
	}
	if err != nil {
		return change, err
	}
	hcp, err := d.hostedControlPlane(ctx, d.client)
	if err != nil || hcp == nil || !wantsCleanup(hcp) {
		return change, err
	}
	one, err := d.annotate(ctx, hcp, "HostedControlPlane", "null")
	if apierrors.IsForbidden(err) {
		d.cancelRefused = true // the operator has its own time limit
		return change, nil
	}
	return step.Join(change, one), err
}

// annotate sets the cleanup annotation to a JSON value; null removes it.
func (d *Plan) annotate(ctx context.Context, obj client.Object, kind, value string) (step.Change, error) {
	name := kube.Name(obj)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%s}}}`, hyperv1.CleanupCloudResourcesAnnotation, value)
	if err := d.client.Patch(ctx, obj, client.RawPatch(hostedcluster.MergePatch, patch),
		client.FieldOwner(kube.FieldOwner)); err != nil {
		if apierrors.IsNotFound(err) {
			return step.Unchanged, nil
		}
		return "", fmt.Errorf("%s %s: %w", kind, name, err)
	}
	return step.Configured, nil
}

// hostedControlPlane reads the cluster's HostedControlPlane. It returns nil if that does not exist or is another
// cluster's.
func (d *Plan) hostedControlPlane(ctx context.Context, r kube.Reader) (*hyperv1.HostedControlPlane, error) {
	hcp := &hyperv1.HostedControlPlane{}
	err := r.Get(ctx, client.ObjectKey{Namespace: d.controlPlaneName(), Name: d.Name}, hcp)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if of := hcp.Annotations[hostedcluster.OwnerAnnotation]; err == nil && of != "" && of != d.key().String() {
		return nil, nil
	}
	return hcp, err
}

// hostedClusterGone is OK once the HostedCluster does not exist. Until then it returns what the operator still has to
// remove, because the HostedCluster does not report it.
func (d *Plan) hostedClusterGone(ctx context.Context, r kube.Reader) step.Finding {
	hc, err := d.hostedCluster(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("HostedCluster %s", d.key())
	case hc == nil:
		return step.OK("gone").On("HostedCluster %s", d.key())
	case hc.DeletionTimestamp == nil:
		return step.Missing("still there").On("HostedCluster %s", d.key())
	case d.options.NoWait:
		return step.OK("being deleted by its operator").On("HostedCluster %s", d.key())
	}
	return d.blocker(ctx, r, hc)
}

// graceLeft returns the remaining time for the cleanup, and whether that time is over.
func (d *Plan) graceLeft(hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane) (left time.Duration, over bool) {
	if d.options.GracePeriod <= 0 || hcp.DeletionTimestamp == nil || d.cancelRefused ||
		!wantsCleanup(hc) && !wantsCleanup(hcp) {
		return 0, false
	}
	left = d.options.GracePeriod - d.client.Now().Sub(hcp.DeletionTimestamp.Time)
	return left, left <= 0
}

// deleteHostedCluster starts the deletion. If the deletion is running, the grace period is over, so it cancels the
// cleanup.
func (d *Plan) deleteHostedCluster(ctx context.Context) (step.Change, error) {
	hc, err := d.hostedCluster(ctx, d.client)
	if err != nil || hc == nil {
		return step.Unchanged, err
	}
	if hc.DeletionTimestamp != nil {
		return d.cancelCleanup(ctx)
	}
	return d.client.DeleteByUID(ctx, hc)
}
