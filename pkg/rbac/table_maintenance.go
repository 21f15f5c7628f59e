package rbac

import "github.com/hcctl/hcctl/pkg/kube/access"

// maintenanceRules returns the rules for the maintenance plans of the management cluster, which read every namespace.
func maintenanceRules() []Rule {
	return rulesFor(Maintenance, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "which OpenShift runs, and which updates are on offer"},
		{
			Verbs: "list", Why: "what an update of OpenShift asks, and what blocks it",
			Resources: "clusteroperators.config.openshift.io machineconfigpools.machineconfiguration.openshift.io " +
				"apirequestcounts.apiserver.openshift.io subscriptions.operators.coreos.com " +
				"clusterserviceversions.operators.coreos.com nodepools.hypershift.openshift.io",
		},
		{Verbs: "get", Resources: "configmaps", Names: "supported-versions", At: access.In(operatorNamespace),
			Why: "which hosted versions HyperShift's operator supports"},
		{Verbs: "list", Resources: "poddisruptionbudgets.policy hostedclusters.hypershift.openshift.io",
			Why: "what keeps a node from being drained, and whose it is"},
		{Verbs: "get", Resources: "customresourcedefinitions.apiextensions.k8s.io",
			Names: "hyperconvergeds.hco.kubevirt.io", Why: "which version of it is stored"},
		{
			Verbs: "list", Why: "what is on a node, and whether it can run elsewhere",
			Resources: "nodes pods persistentvolumeclaims persistentvolumes statefulsets.apps " +
				"virtualmachineinstances.kubevirt.io cephclusters.ceph.rook.io hyperconvergeds.hco.kubevirt.io",
		},
	})
}
