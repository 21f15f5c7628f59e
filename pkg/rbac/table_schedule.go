package rbac

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
)

// scheduleRules returns the rules for stop and start without waiting, as in the CronJobs of a schedule.
func scheduleRules() []Rule {
	return rulesFor(Schedule, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster before anything is changed"},
		{Verbs: "get list", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "which hosted clusters have the labels, and which are paused"},
		{Verbs: "get list watch", Resources: "nodepools.hypershift.openshift.io", At: Clusters, Why: "their node pools"},
		{Verbs: "patch", Resources: "nodepools.hypershift.openshift.io", Only: cluster, At: Clusters,
			Why: "sets the sizes of their node pools"},
	})
}

// cleanupRules returns the rules for deleting expired clusters, besides those shared with Editor.
func cleanupRules() []Rule {
	addresses := []Feature{OwnAddresses}
	return rulesFor(Cleanup, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster before anything is changed"},
		{Verbs: "get list watch", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "which hosted clusters have expired"},
		{Verbs: "patch", Resources: "hostedclusters.hypershift.openshift.io", Names: cluster, At: Clusters,
			Why: "asks for the clean-up of a deletion"},
		{Verbs: "list watch", Resources: "nodepools.hypershift.openshift.io", At: Clusters, Why: "their node pools"},
		{Verbs: "get list watch", Resources: "namespaces", Why: "whether those of a cluster are gone"},
		{Verbs: "get", Resources: "managedclusters.cluster.open-cluster-management.io", Names: cluster,
			Why: "whether it is joined to its hub"},
		{Verbs: "list watch", Resources: "pods virtualmachines.kubevirt.io persistentvolumeclaims", At: ControlPlane,
			Why: "what keeps a control plane or a worker"},
		{Verbs: "list watch", Resources: "ipaddresspools.metallb.io l2advertisements.metallb.io",
			At: access.In(metallb.DefaultNamespace), Features: addresses, Why: "which were made for a cluster"},
		{Verbs: "delete", Resources: "ipaddresspools.metallb.io l2advertisements.metallb.io",
			At: access.In(metallb.DefaultNamespace), Features: addresses,
			Why: fmt.Sprintf("deletes what %s made", hint.Flag("metallb-addresses"))},
	})
}
