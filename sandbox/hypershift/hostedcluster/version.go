package hostedcluster

import (
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// versionStatus returns the HostedCluster's version status: the control plane's, or a first history entry without a
// version before there is one.
func versionStatus(hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane) *hyperv1.ClusterVersionStatus {
	if hcp != nil && hcp.Status.VersionStatus != nil {
		return hcp.Status.VersionStatus
	}
	image := hc.Spec.Release.Image
	if v := hc.Status.Version; v != nil && len(v.History) > 0 {
		if v.Desired.Image == image {
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
