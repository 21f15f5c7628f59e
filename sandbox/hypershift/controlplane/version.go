package controlplane

import (
	"context"
	"fmt"
	"slices"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// advance returns the fields that the types lack as they are to be written, and whether they differ from what is there.
// It is nil if this operator has none. Without a view, nothing of it changes.
func (r *controlPlanes) advance(ctx context.Context, hcp *hyperv1.HostedControlPlane,
	view *observation) (fields *status.Newer, moved bool, err error) {
	if !r.Features.Has(reconciler.ControlPlaneVersion) {
		return nil, false, nil
	}
	var before status.Newer
	if err := r.NewerField(ctx, hcp, &before, "status"); err != nil || view == nil {
		return &before, false, err
	}
	next := before
	list := &hyperv1.ControlPlaneComponentList{}
	if err := r.Cached.List(ctx, list, client.InNamespace(hcp.Namespace)); err != nil {
		return nil, false, fmt.Errorf("failed to list control plane components for version reconciliation: %w", err)
	}
	target := configv1.Release{Version: view.payload.Version, Image: release.ByDigest(view.payload.Image)}
	version := ptr.Deref(before.ControlPlaneVersion, status.ControlPlaneVersion{}).Advance(target, hcp.Generation,
		allAt(list.Items, view.payload.Version), time.Now())
	next.ControlPlaneVersion = &version
	if next.SecretEncryption, err = r.rotateKey(ctx, hcp, view, before.SecretEncryption); err != nil {
		return nil, false, err
	}
	return &next, !equality.Semantic.DeepEqual(before, next), nil
}

// allAt reports whether there are components, and all have rolled out the version.
func allAt(components []hyperv1.ControlPlaneComponent, version string) bool {
	late := func(c hyperv1.ControlPlaneComponent) bool {
		return c.Status.Version != version ||
			!meta.IsStatusConditionTrue(c.Status.Conditions, string(hyperv1.ControlPlaneComponentRolloutComplete))
	}
	return len(components) > 0 && !slices.ContainsFunc(components, late)
}
