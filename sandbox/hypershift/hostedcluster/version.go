package hostedcluster

import (
	"cmp"
	"context"
	"fmt"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// versionStatus returns the HostedCluster's version status: the control plane's, or a first history entry without a
// version before there is one.
func versionStatus(hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane) *hyperv1.ClusterVersionStatus {
	if hcp != nil && hcp.Status.VersionStatus != nil {
		return hcp.Status.VersionStatus
	}
	image := hc.Spec.Release.Image
	if v := hc.Status.Version; v != nil && len(v.History) > 0 {
		if release.Is(v.Desired.Image, image) {
			return v
		}
		v = v.DeepCopy()
		v.Desired.Image, v.ObservedGeneration = image, hc.Generation
		v.History = append([]configv1.UpdateHistory{firstEntry(image)}, v.History...)
		return v
	}
	return &hyperv1.ClusterVersionStatus{
		Desired: configv1.Release{Image: image}, ObservedGeneration: hc.Generation,
		AvailableUpdates: []configv1.Release{}, History: []configv1.UpdateHistory{firstEntry(image)},
	}
}

func firstEntry(image string) configv1.UpdateHistory {
	return configv1.UpdateHistory{State: configv1.PartialUpdate, Image: image,
		StartedTime: metav1.NewTime(time.Now().Truncate(time.Second))}
}

// newer returns what the control plane reports in fields that the types lack, as it is to be written, and whether it
// differs from what is there. It is nil if this operator has no such fields.
func (r *hostedClusters) newer(ctx context.Context, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane) (fields *status.Newer, moved bool, err error) {
	if !r.Features.Has(reconciler.ControlPlaneVersion) {
		return nil, false, nil
	}
	var before, next status.Newer
	if err := r.NewerField(ctx, hc, &before, "status"); err != nil {
		return nil, false, err
	}
	if hcp != nil {
		if err := r.NewerField(ctx, hcp, &next, "status"); err != nil {
			return nil, false, err
		}
	}
	next.ControlPlaneVersion = cmp.Or(next.ControlPlaneVersion, before.ControlPlaneVersion)
	next.SecretEncryption = cmp.Or(next.SecretEncryption, before.SecretEncryption)
	return &next, !equality.Semantic.DeepEqual(before, next), nil
}

// passNodeCIDRs copies networking.allocateNodeCIDRs to a new control plane.
func (r *hostedClusters) passNodeCIDRs(ctx context.Context, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane) error {
	if !r.Features.Has(reconciler.NodeCIDRs) {
		return nil
	}
	var mode string
	if err := r.NewerField(ctx, hc, &mode, "spec", "networking", reconciler.NodeCIDRsField); err != nil || mode == "" {
		return err
	}
	patch := fmt.Appendf(nil, `{"spec":{"networking":{%q:%q}}}`, reconciler.NodeCIDRsField, mode)
	return r.Client.Patch(ctx, hcp, client.RawPatch(types.MergePatchType, patch))
}
