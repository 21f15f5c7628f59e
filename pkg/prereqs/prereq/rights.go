package prereq

import "github.com/hcctl/hcctl/pkg/kube/access"

// Rights of reads that several groups share. Rules that differ only in their resources, or only in their names, become
// one line of hcctl rbac -o table.

// ReadVersion returns the right to read the ClusterVersion.
func ReadVersion() access.Rule {
	return access.Rule{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
		Why: "OpenShift's version, and whether it is being updated"}
}

// ReadConfig returns the right to read the one object of a kind that configures the cluster.
func ReadConfig(resource string) access.Rule {
	return access.Rule{Verbs: "get", Resources: resource, Names: "cluster",
		Why: "platform, topology, networks, domain, catalogs, proxy"}
}

// ReadInfrastructure returns the right to read the platform and topology of the cluster.
func ReadInfrastructure() access.Rule { return ReadConfig("infrastructures.config.openshift.io") }

// ReadNetwork returns the right to read the cluster's network.
func ReadNetwork() access.Rule { return ReadConfig("networks.config.openshift.io") }

// ReadCatalogs returns the right to read whether the default catalogs are enabled (Disconnected).
func ReadCatalogs() access.Rule { return ReadConfig("operatorhubs.config.openshift.io") }

// ReadMirrors returns the rights of ReadDisconnection.
func ReadMirrors() []access.Rule {
	return []access.Rule{
		ReadCatalogs(), ReadConfig("proxies.config.openshift.io"),
		ListConfig("imagedigestmirrorsets.config.openshift.io imagetagmirrorsets.config.openshift.io " +
			"imagecontentsourcepolicies.operator.openshift.io"),
	}
}

// ListConfig returns the right to list resources that the cluster consists of.
func ListConfig(resources string) access.Rule {
	return access.Rule{Verbs: "list", Resources: resources,
		Why: "cluster operators, mirrors of registries, pools that are being updated, nodes"}
}

// ListNodes returns the right to list nodes.
func ListNodes() access.Rule { return ListConfig("nodes") }

// ListPods returns the right to list pods.
func ListPods() access.Rule {
	return access.Rule{Verbs: "list", Resources: "pods",
		Why: "what is requested of the nodes already; what keeps a Deployment"}
}

// ReadWorkloads returns the rights of JudgeWorkload, JudgeDeployment and JudgeWorkloads.
func ReadWorkloads() []access.Rule {
	return []access.Rule{ListPods(), ListNodes(), ListEvents(),
		{Verbs: "list", Resources: "deployments.apps daemonsets.apps", Why: "what keeps an operator's components"}}
}

// ListEvents returns the right of WarningAbout.
func ListEvents() access.Rule {
	return access.Rule{Verbs: "list", Resources: "events", Why: "why something is late that its operator does not tell"}
}

// ReadNamespaces returns the right to read any namespace by its name.
func ReadNamespaces() access.Rule {
	return access.Rule{Verbs: "get", Resources: "namespaces", Why: "where operators are, or are to be"}
}

// ListEngine returns the right to find the MultiClusterEngine (Engine).
func ListEngine() access.Rule {
	return ListMulticluster("multiclusterengines.multicluster.openshift.io")
}

// ListMulticluster returns the right to list kinds of multicluster engine and of Advanced Cluster Management.
func ListMulticluster(resource string) access.Rule {
	return access.Rule{Verbs: "list", Resources: resource, Why: "multicluster engine and the hub it belongs to"}
}

// ReadAddonConfig returns the right to read the settings of the hypershift addon.
func ReadAddonConfig() access.Rule {
	return access.Rule{Verbs: "get", Resources: "addondeploymentconfigs.addon.open-cluster-management.io",
		Names: AddonConfigName, Why: "how many hosted clusters the add-on allows"}
}

// ListHosted returns the right to list HostedClusters or NodePools.
func ListHosted(kind string) access.Rule {
	return access.Rule{Verbs: "list", Resources: kind + ".hypershift.openshift.io",
		Why: "what hosted clusters there are, that need room"}
}
