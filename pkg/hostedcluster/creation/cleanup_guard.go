package creation

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/step"
)

// GuardedFromCleanup tells whether a failed create must keep the hosted cluster, by the report of that create. It must
// if the cluster was there before and has had an API server: it may be in use.
func GuardedFromCleanup(r step.Report, hc *hyperv1.HostedCluster) bool {
	return !CreatedBy(r) && hc.Status.KubeConfig != nil
}

// CreatedBy tells whether a create has made the HostedCluster, by its report.
func CreatedBy(r step.Report) bool {
	written, _ := r.Get(hostedClusterStep)
	return written.Change == step.Created
}
