package rbac

// kubeVirtVersion is a path rather than a kind: it cannot be watched.
const kubeVirtVersion = "version.subresources.kubevirt.io"

// anyName is why ConfigMaps are read whose names a person has chosen.
const anyName = "on a disconnected cluster the certificates of registries, under any name"

// checkRules are what the checks of pkg/prereqs read. An operator may be in any namespace, under any name: most is
// listed.
func checkRules() []Rule {
	return purposed(Check, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "OpenShift's version, and whether it is being updated"},
		{
			Verbs: "get", Names: "cluster", Why: "platform, topology, networks, domain, catalogs, proxy",
			Resources: "infrastructures.config.openshift.io ingresses.config.openshift.io networks.config.openshift.io " +
				"networks.operator.openshift.io operatorhubs.config.openshift.io" +
				" proxies.config.openshift.io",
		},
		{Verbs: "get", Resources: "images.config.openshift.io", Names: "cluster",
			Why: "on a disconnected cluster: which certificates of registries are trusted"},
		{
			Verbs: "list", Why: "cluster operators, mirrors of registries, pools that are being updated, nodes",
			Resources: "clusteroperators.config.openshift.io imagedigestmirrorsets.config.openshift.io " +
				"imagetagmirrorsets.config.openshift.io" +
				" imagecontentsourcepolicies.operator.openshift.io machineconfigpools.machineconfiguration.openshift.io nodes",
		},
		{Verbs: "list", Resources: "pods", Why: "what is requested of the nodes already; what keeps a Deployment"},
		{Verbs: "get", Resources: "secrets", Names: "pull-secret", At: In(configNamespace),
			Why: "which registries the pull secret opens"},
		// Namespace hypershift may be there only after bootstrap, and a Role needs it.
		{Verbs: "get", Resources: "configmaps", Names: "supported-versions",
			Why: "which versions HyperShift's operator can create"},
		{Verbs: "get", Resources: "deployments.apps", Names: "operator", Why: "HyperShift's operator"},
		{Verbs: "get", Resources: "configmaps", At: In(configNamespace), Why: anyName},
		{Verbs: "get", Resources: "namespaces", Why: "where operators are, or are to be"},
		{
			Verbs: "list", Why: "the operators there are, and those that are offered",
			Resources: "operatorgroups.operators.coreos.com packagemanifests.packages.operators.coreos.com " +
				"subscriptions.operators.coreos.com",
		},
		{Verbs: "get list", Resources: "clusterserviceversions.operators.coreos.com",
			Why: "whether operators are installed, and in which version"},
		{Verbs: "get", Resources: "installplans.operators.coreos.com", Why: "why an operator is not installed yet"},
		{Verbs: "list", Resources: "catalogsources.operators.coreos.com", Why: "why a package is not offered"},
		{
			Verbs: "list", Why: "where volumes come from",
			Resources: "localvolumediscoveries.local.storage.openshift.io " +
				"localvolumediscoveryresults.local.storage.openshift.io localvolumesets.local.storage.openshift.io" +
				" lvmclusters.lvm.topolvm.io persistentvolumes storageclasses.storage.k8s.io storageclusters.ocs.openshift.io " +
				"volumesnapshotclasses.snapshot.storage.k8s.io",
		},
		{Verbs: "get", Resources: "storageprofiles.cdi.kubevirt.io", Why: "how the default class's volumes are cloned and " +
			"shared; named as the class is"},
		{Verbs: "list", Resources: "hyperconvergeds.hco.kubevirt.io", Why: "virtualization"},
		{Verbs: "list", Resources: kubeVirtVersion,
			Why: "KubeVirt's version, asked as HyperShift's operator asks; KubeVirt " +
				"itself allows it to everybody"},
		{
			Verbs: "list", Why: "who gives addresses to hosted API servers, and which",
			Resources: "bgpadvertisements.metallb.io bgppeers.metallb.io ipaddresspools.metallb.io l2advertisements.metallb.io " +
				"metallbs.metallb.io services",
		},
		{
			Verbs: "list", Why: "multicluster engine and the hub it belongs to",
			Resources: "managedclusters.cluster.open-cluster-management.io multiclusterengines.multicluster.openshift.io " +
				"multiclusterhubs.operator.open-cluster-management.io",
		},
		{Verbs: "get", Resources: "managedclusteraddons.addon.open-cluster-management.io", Names: "hypershift-addon",
			Why: "the add-on that brings HyperShift's operator"},
		{Verbs: "get", Resources: "addondeploymentconfigs.addon.open-cluster-management.io",
			Names: "hypershift-addon-deploy-config", Why: "how many hosted clusters the add-on allows"},
		{Verbs: "get", Resources: "deployments.apps", Names: "router-default", At: In(routerNamespace),
			Why: "whether the router takes wildcard Routes"},
		{Verbs: "list", Resources: "hostedclusters.hypershift.openshift.io nodepools.hypershift.openshift.io",
			Why: "what hosted clusters there are, for whom there has to be room"},
		{Verbs: "get", Resources: "ingresscontrollers.operator.openshift.io", Names: "default", At: In(ingressNamespace),
			Why: "whether wildcard Routes are allowed"},
	})
}
