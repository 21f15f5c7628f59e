package rbac

// waitRules are what bootstrap follows beyond what check reads: whatever a step has read it watches while it waits, or
// while the API server does not answer. A watch of one object is a list and a watch of that name.
func waitRules() []Rule {
	var rules []Rule
	for _, r := range checkRules() {
		if r.Resources != kubeVirtVersion && r.Why != anyName {
			rules = append(rules, Rule{Verbs: "list watch", Resources: r.Resources, Names: r.Names, At: r.At,
				Why: "waits for what it has read: " + r.Why})
		}
	}
	return purposed(Bootstrap, append(rules, []Rule{
		{Verbs: "list watch", Resources: "customresourcedefinitions.apiextensions.k8s.io",
			Why: "waits until the kinds of an operator are there"},
		{Verbs: "get", Resources: "customresourcedefinitions.apiextensions.k8s.io", Names: "hyperconvergeds.hco.kubevirt.io",
			Why: "in which version to write it"},
	}...))
}

// bootstrapRules are what bootstrap writes. Server-side apply of an object that may not be there needs create beside
// patch; both by name. What is posted cannot be limited by name: its URL has none.
func bootstrapRules() []Rule {
	foundation, lvm, metal := []Feature{DataFoundation}, []Feature{LVMStorage}, []Feature{MetalLB}
	return purposed(Bootstrap, []Rule{
		{Verbs: "create", Resources: "namespaces operatorgroups.operators.coreos.com subscriptions.operators.coreos.com",
			Why: "installs operators"},
		{Verbs: "patch", Resources: "installplans.operators.coreos.com", Why: "approves the one plan of a pinned operator, " +
			"or of one whose approval is manual"},
		{
			Verbs: "get create patch", Resources: "catalogsources.operators.coreos.com", Names: "hcctl-kubevirt-hyperconverged",
			Features: []Feature{Community},
			Why:      "the catalog of upstream KubeVirt",
		},
		{Verbs: "patch", Resources: "storageclasses.storage.k8s.io", Features: []Feature{DefaultClass},
			Why: "marks the default class"},
		{Verbs: "get patch", Resources: "nodes", Features: foundation,
			Why: "labels the nodes whose disks Data Foundation takes"},
		{Verbs: "get create patch", Resources: "localvolumediscoveries.local.storage.openshift.io",
			Names: "auto-discover-devices", Features: foundation, Why: "finds the disks"},
		{Verbs: "get create patch", Resources: "localvolumesets.local.storage.openshift.io", Names: "localblock",
			Features: foundation, Why: "takes the disks"},
		{Verbs: "get create patch", Resources: "storageclusters.ocs.openshift.io", Names: "ocs-storagecluster",
			Features: foundation, Why: "Data Foundation"},
		{
			Verbs: "get create patch", Resources: "storagesystems.odf.openshift.io", Names: "ocs-storagecluster-storagesystem",
			Features: foundation,
			Why:      "Data Foundation before 4.19",
		},
		{Verbs: "get create patch", Resources: "lvmclusters.lvm.topolvm.io", Names: "lvmcluster", Features: lvm,
			Why: "LVM Storage"},
		{Verbs: "patch", Resources: "namespaces", Names: "openshift-lvm-storage openshift-storage", Features: lvm,
			Why: "allows LVM Storage's pods their privileges"},
		{Verbs: "get create patch", Resources: "hyperconvergeds.hco.kubevirt.io", Names: "kubevirt-hyperconverged",
			Why: "virtualization"},
		{Verbs: "get create patch", Resources: "metallbs.metallb.io", Names: "metallb", Features: metal, Why: "MetalLB"},
		{Verbs: "get create patch", Resources: "ipaddresspools.metallb.io l2advertisements.metallb.io", Names: "hcctl",
			Features: metal, Why: "the range of --metallb-range"},
		{Verbs: "get create", Resources: "multiclusterengines.multicluster.openshift.io", Names: "multiclusterengine",
			Why: "multicluster engine"},
		{Verbs: "patch", Resources: "multiclusterengines.multicluster.openshift.io",
			Why: "switches components on; an engine that is there may have any name"},
		{Verbs: "get", Resources: "managedclusters.cluster.open-cluster-management.io",
			Why: "what has the name of the hub's own cluster"},
		{
			Verbs: "create", Resources: "managedclusters.cluster.open-cluster-management.io",
			Why: "the hub's own cluster, where multicluster engine does not make it",
		},
		{
			Verbs: "update", Resources: "managedclusters/accept.register.open-cluster-management.io",
			Why: "never asked of the API server by hcctl: Open Cluster Management's webhook asks whether who creates an " +
				"accepted ManagedCluster may accept it",
		},
		{
			Verbs: "create", Resources: "managedclusteraddons.addon.open-cluster-management.io",
			Why: "the add-on that brings HyperShift's operator, where multicluster engine does not make it",
		},
		{Verbs: "patch", Resources: "ingresscontrollers.operator.openshift.io", Names: "default", At: In(ingressNamespace),
			Why: "allows wildcard Routes"},
		{
			Verbs: "get list watch create patch", Features: []Feature{Manifests},
			Why: "--virtualization-manifests: what the operator's own deployment consists of, and waiting for it",
			Resources: "namespaces serviceaccounts services configmaps deployments.apps " +
				"customresourcedefinitions.apiextensions.k8s.io" +
				" roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io " +
				"clusterrolebindings.rbac.authorization.k8s.io" +
				" validatingwebhookconfigurations.admissionregistration.k8s.io " +
				"mutatingwebhookconfigurations.admissionregistration.k8s.io",
		},
		{
			Verbs: "escalate bind", Resources: "clusterroles.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io",
			Features: []Feature{Manifests},
			Why:      "the manifests bring roles that hold more than most users have: who may do this may become administrator",
		},
	})
}
