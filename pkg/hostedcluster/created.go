package hostedcluster

import (
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// maxCreation is how long after its creation a hosted cluster counts as still being created. One that has not come up
// by then is left over.
const maxCreation = 6 * time.Hour

// IsCreated reports whether the hosted cluster has once been complete: its first version is rolled out or, if it is to
// have no workers, its control plane is available.
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

// MayBeCreating reports whether somebody may still be creating the hosted cluster with these NodePools.
func MayBeCreating(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool, now time.Time) bool {
	workers := false
	for i := range pools {
		workers = workers || SizeOf(&pools[i]).Min > 0
	}
	return hc.DeletionTimestamp == nil && !IsCreated(hc, workers) && IsYoung(hc.CreationTimestamp.Time, now)
}

// IsYoung reports whether somebody may still be creating a hosted cluster that was begun then and is not complete.
func IsYoung(begun, now time.Time) bool { return now.Sub(begun) < maxCreation }

// IsOlder reports whether an object was created longer ago than that. Each is older than 0, and none of which the time
// is not known is older than anything else.
func IsOlder(created, now time.Time, than time.Duration) bool {
	return than == 0 || !created.IsZero() && now.Sub(created) > than
}
