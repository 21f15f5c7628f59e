package rbac

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// backupRules returns the rules for backup: its reads, and the one command that it runs.
func backupRules() []Rule {
	return rulesFor(Backup, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster that is read"},
		{Verbs: "get", Resources: "hostedclusters.hypershift.openshift.io", Names: cluster, At: Clusters,
			Why: "the hosted cluster"},
		{Verbs: "list", Resources: "nodepools.hypershift.openshift.io", At: Clusters, Why: "its node pools"},
		{Verbs: "get", Resources: "secrets", At: Clusters, Unless: ByName, Why: "those that the cluster names"},
		{Verbs: "get", Resources: "secrets", Names: clusterSecrets, At: Clusters,
			Why: "those that create made for the cluster"},
		{Verbs: "get", Resources: "configmaps", At: Clusters, Why: "those that the cluster and its pools name"},
		{Verbs: "get", Resources: "secrets", Names: strings.Join(hostedcluster.ControlPlaneKeys(), " "), At: ControlPlane,
			Why: "the keys of the control plane, without which kubeconfigs from before would not open a restored cluster"},
		{Verbs: "list", Resources: "pods", At: ControlPlane, Why: "which pod of etcd is ready"},
		{Verbs: "get create", Resources: "pods/exec", Only: "etcd-*", At: ControlPlane,
			Why: "etcdctl snapshot save, in a pod of etcd"},
		{Verbs: "list", Resources: "dataprotectionapplications.oadp.openshift.io",
			Why: fmt.Sprintf("%s: whether OADP has the HyperShift plugin", hint.Flag("oadp"))},
		{Verbs: "list", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: fmt.Sprintf("%s: whether other clusters have the namespace, which would be saved, too", hint.Flag("oadp"))},
	})
}

// restorePod is the pod of a restore (pkg/hostedcluster/backup/restore).
const restorePod = "hcctl-etcd-restore"

// restoreRules returns the rules for restore: its reads, stops, deletions and creates.
func restoreRules() []Rule {
	return rulesFor(Restore, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster before anything is changed"},
		{Verbs: "get list watch", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "the hosted cluster, and whether it is available again"},
		{Verbs: "list", Resources: "hostedclusters.hypershift.openshift.io",
			Why: "whether another cluster has the namespace or the infraID of one that is created again"},
		{Verbs: "patch", Resources: "hostedclusters.hypershift.openshift.io", Names: cluster, At: Clusters,
			Why: "pauses it, and marks it for as long as the restore takes"},
		{Verbs: "create", Resources: "hostedclusters.hypershift.openshift.io nodepools.hypershift.openshift.io",
			Only: cluster, At: Clusters, Why: "creates a cluster that is gone"},
		{Verbs: "create", Resources: "secrets configmaps", At: Clusters, Why: "what that names, under any name"},
		{Verbs: "get list watch", Resources: "nodepools.hypershift.openshift.io configmaps", At: Clusters,
			Why: "whether they are there"},
		{Verbs: "get list watch", Resources: "secrets", At: Clusters, Unless: ByName, Why: "the same"},
		{Verbs: "get list watch", Resources: "secrets", Names: clusterSecrets, At: Clusters,
			Why: "the same, and whether the key of etcd is that of the backup"},
		{Verbs: "get list watch", Resources: "namespaces", Why: "whether they are there, or are being deleted"},
		{Verbs: "create", Resources: "namespaces", Unless: ByNamespace, Why: "those of a cluster that is gone"},
		{Verbs: "get list watch", Resources: "secrets", Names: strings.Join(hostedcluster.ControlPlaneKeys(), " "),
			At: ControlPlane, Why: "whether the keys of the control plane are there"},
		{Verbs: "create", Resources: "secrets", Only: strings.Join(hostedcluster.ControlPlaneKeys(), " "), At: ControlPlane,
			Why: "those of a cluster that is gone"},
		{Verbs: "list watch", Resources: "hostedcontrolplanes.hypershift.openshift.io", At: ControlPlane,
			Why: "whether its operator is paused, and that no other cluster's control plane is there"},
		{Verbs: "get list watch patch", Resources: "deployments.apps statefulsets.apps", At: ControlPlane,
			Why: "stops and starts the API servers and etcd"},
		{Verbs: "get list watch patch delete", Resources: "persistentvolumeclaims", At: ControlPlane,
			Why: "removes the volumes of etcd's other members, and marks that of the first"},
		{Verbs: "get list watch", Resources: "pods", At: ControlPlane, Why: "whether etcd and the API servers have ended"},
		{Verbs: "create", Resources: "pods", Only: restorePod, At: ControlPlane,
			Why: "the pod that has etcd's volume meanwhile"},
		{Verbs: "delete", Resources: "pods", Names: restorePod, At: ControlPlane, Why: "the same"},
		{Verbs: "get create", Resources: "pods/exec", Only: restorePod, At: ControlPlane,
			Why: "restores the snapshot in that pod"},
	})
}
