package hostedcluster

import (
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// maxCreation is the time after its creation in which a hosted cluster counts as being created. A cluster that is older
// and not complete counts as abandoned.
const maxCreation = 6 * time.Hour

// IsCreated reports whether the hosted cluster was complete at least once: its first version is rolled out, or its
// control plane is available if it has no workers.
func IsCreated(hc *hyperv1.HostedCluster, workers bool) bool {
	if !workers && kube.ConditionOf(hc, hc.Status.Conditions, string(hyperv1.HostedClusterAvailable)).True() {
		return true
	}
	if v := hc.Status.Version; v != nil {
		for i := range v.History {
			if v.History[i].State == configv1.CompletedUpdate {
				return true
			}
		}
	}
	return false
}

// MayBeCreating reports whether the hosted cluster with these NodePools may still be in creation.
func MayBeCreating(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool, now time.Time) bool {
	workers := false
	for i := range pools {
		workers = workers || SizeOf(&pools[i]).Min > 0
	}
	return hc.DeletionTimestamp == nil && !IsCreated(hc, workers) && IsYoung(hc.CreationTimestamp.Time, now)
}

// IsYoung reports whether a hosted cluster that is not complete may still be in creation: its creation began less than
// 6 hours ago.
func IsYoung(begun, now time.Time) bool { return now.Sub(begun) < maxCreation }

// IsOlder reports whether the age of an object exceeds than. If than is 0 it always returns true; otherwise it returns
// false for an unknown creation time.
func IsOlder(created, now time.Time, than time.Duration) bool {
	return than == 0 || !created.IsZero() && now.Sub(created) > than
}
