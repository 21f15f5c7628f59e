package rbac

// uninstallRules are what uninstall reads and removes.
func uninstallRules() []Rule {
	foundation, lvm, metal := []Feature{DataFoundation}, []Feature{LVMStorage}, []Feature{MetalLB}
	const operator = "clusterserviceversions.operators.coreos.com"
	return purposed(Uninstall, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster before it asks"},
		{Verbs: "list watch", Resources: "*.*", Why: "a namespace goes only if nothing is left in it, of any kind"},
		{
			Verbs: "get delete", Resources: "namespaces",
			Why: "those that bootstrap made: operators say in which they want to be",
			Names: "kubevirt-hyperconverged metallb-system multicluster-engine openshift-cnv openshift-local-storage " +
				"openshift-lvm-storage openshift-storage",
		},
		{Verbs: "get delete", Resources: "operatorgroups.operators.coreos.com subscriptions.operators.coreos.com " + operator,
			Why: "operators; their names are OLM's"},
		{Verbs: "patch", Resources: operator, Why: "labels what goes with a Subscription, so that an uninstall that is " +
			"killed still knows it"},
		{Verbs: "get patch", Resources: "ingresscontrollers.operator.openshift.io", Names: "default",
			At: In(ingressNamespace), Why: "no longer allows wildcard Routes, if hcctl set that"},
		{Verbs: "get delete", Resources: "multiclusterengines.multicluster.openshift.io", Names: "multiclusterengine",
			Why: "multicluster engine"},
		{
			Verbs: "get delete", Resources: "managedclusteraddons.addon.open-cluster-management.io", Names: "hypershift-addon",
			Why: "where multicluster engine did not make it, and bootstrap did",
		},
		{Verbs: "get delete", Resources: "managedclusters.cluster.open-cluster-management.io", Names: "local-cluster",
			Why: "the same, before multicluster engine 2.2"},
		{Verbs: "get delete", Resources: "hyperconvergeds.hco.kubevirt.io", Names: "kubevirt-hyperconverged",
			Why: "virtualization"},
		{Verbs: "get delete", Resources: "catalogsources.operators.coreos.com", Names: "hcctl-kubevirt-hyperconverged",
			Features: []Feature{Community}, Why: "the catalog of upstream KubeVirt"},
		{Verbs: "get delete", Resources: "ipaddresspools.metallb.io l2advertisements.metallb.io", Names: "hcctl",
			Features: metal, Why: "the range of --metallb-range"},
		{Verbs: "get delete", Resources: "metallbs.metallb.io", Names: "metallb", Features: metal, Why: "MetalLB"},
		{Verbs: "get patch delete", Resources: "storageclusters.ocs.openshift.io", Names: "ocs-storagecluster",
			Features: foundation, Why: "--include-storage: Data Foundation"},
		{Verbs: "get delete", Resources: "storagesystems.odf.openshift.io", Names: "ocs-storagecluster-storagesystem",
			Features: foundation, Why: "Data Foundation before 4.19"},
		{Verbs: "get delete", Resources: "localvolumesets.local.storage.openshift.io", Names: "localblock",
			Features: foundation, Why: "the disks"},
		{Verbs: "get delete", Resources: "localvolumediscoveries.local.storage.openshift.io", Names: "auto-discover-devices",
			Features: foundation, Why: "the disks"},
		{Verbs: "get patch", Resources: "nodes", Features: foundation, Why: "takes the labels off that bootstrap put on"},
		{Verbs: "get delete", Resources: "lvmclusters.lvm.topolvm.io", Names: "lvmcluster", Features: lvm,
			Why: "--include-storage: LVM Storage"},
		{Verbs: "get patch", Resources: "storageclasses.storage.k8s.io", Features: []Feature{DefaultClass},
			Why: "--include-storage: takes the mark of the default class off, if hcctl put it on"},
	})
}
