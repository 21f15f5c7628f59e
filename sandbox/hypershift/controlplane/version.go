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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// advance returns the control plane's version as it is to be written, and whether it differs from what is there. It is
// nil if this operator has no such field, or the control plane has no version yet.
func (r *controlPlanes) advance(ctx context.Context, hcp *hyperv1.HostedControlPlane,
	payload *release.Payload) (version *status.ControlPlaneVersion, moved bool, err error) {
	if !r.Features.Has(reconciler.ControlPlaneVersion) {
		return nil, false, nil
	}
	var told status.ControlPlaneVersion
	if err := r.NewerField(ctx, hcp, &told, "status", status.ControlPlaneVersionField); err != nil {
		return nil, false, err
	}
	if payload == nil {
		if told.Desired.Version == "" {
			return nil, false, nil
		}
		return &told, false, nil
	}
	list := &hyperv1.ControlPlaneComponentList{}
	if err := r.Cached.List(ctx, list, client.InNamespace(hcp.Namespace)); err != nil {
		return nil, false, fmt.Errorf("failed to list control plane components for version reconciliation: %w", err)
	}
	target := configv1.Release{Version: payload.Version, Image: release.ByDigest(payload.Image)}
	next := told.Advance(target, hcp.Generation,
		allAt(list.Items, payload.Version), time.Now())
	return &next, !equality.Semantic.DeepEqual(told, next), nil
}

// allAt reports whether there are components, and all have rolled out the version.
func allAt(components []hyperv1.ControlPlaneComponent, version string) bool {
	late := func(c hyperv1.ControlPlaneComponent) bool {
		return c.Status.Version != version ||
			!meta.IsStatusConditionTrue(c.Status.Conditions, string(hyperv1.ControlPlaneComponentRolloutComplete))
	}
	return len(components) > 0 && !slices.ContainsFunc(components, late)
}
