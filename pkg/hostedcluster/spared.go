package hostedcluster

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/step"
)

// Spared tells whether a create that failed must not remove the hosted cluster: it was there before that create, and has had an API server, so that
// something of somebody's may be in it. What a create left halfway before there was an API server holds nothing. r is the create's report.
func Spared(r step.Report, hc *hyperv1.HostedCluster) bool {
	return !CreatedBy(r) && hc.Status.KubeConfig != nil
}

// CreatedBy tells whether a create has made the HostedCluster, by its report.
func CreatedBy(r step.Report) bool {
	written, _ := r.Get(hostedClusterStep)
	return written.Change == step.Created
}
