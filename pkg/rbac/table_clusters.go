package rbac

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
)

// clusterSecrets are the Secrets that create cluster creates for a HostedCluster.
const clusterSecrets = cluster + "-pull-secret " + cluster + "-etcd-encryption-key " + cluster + "-ssh-key " + cluster +
	"-audit-webhook " + cluster + "-infra-credentials"

// viewerRules returns the rules for the reads of get, status and wait.
func viewerRules() []Rule {
	return rulesFor(Viewer, []Rule{
		{For: density(), Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster before anything is changed"},
		{For: density(), Verbs: "get list watch", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "the hosted clusters"},
		{For: density(), Verbs: "list watch", Resources: "nodepools.hypershift.openshift.io", At: Clusters,
			Why: "their node pools"},
		{Verbs: "get", Resources: "nodepools.hypershift.openshift.io", At: Clusters, Why: "one node pool"},
		{For: density(), Verbs: "list watch", Resources: "pods virtualmachines.kubevirt.io", At: ControlPlane,
			Why: "the pods of a control plane, and the worker VMs"},
		{Verbs: "list", Resources: "virtualmachineinstances.kubevirt.io", At: ControlPlane,
			Why: "on which nodes the worker VMs run, and their addresses"},
		{Verbs: "list", Resources: "machines.cluster.x-k8s.io", At: ControlPlane,
			Why: "which node of the hosted cluster a worker VM is"},
		{Verbs: "list", Resources: "deployments.apps statefulsets.apps", At: ControlPlane,
			Why: "how many pods of a control plane are wanted"},
		{Verbs: "get", Resources: "namespaces", Why: "what the deletion of a cluster waits for; whether it has services"},
		{Verbs: "list", Resources: "deployments.apps", At: Services, Why: "whether its services run"},
		{Verbs: "get", Resources: "hostedcontrolplanes.hypershift.openshift.io", At: ControlPlane,
			Why: "how far the deletion of a cluster is"},
		{Verbs: "list", Resources: "events", At: ControlPlane, Why: "what happened to the control plane and the worker VMs"},
		{Verbs: "list", Resources: "events", At: Clusters, Why: "what happened to the hosted clusters and node pools"},
		{Verbs: "list", Resources: "services", At: ControlPlane, Why: "what a cluster that is being deleted still has"},
		{Verbs: "list watch", Resources: "persistentvolumeclaims", At: ControlPlane,
			Why: "why a pod of a control plane does not start; what a cluster that is being deleted still has"},
		{Verbs: "list", Resources: "routes.route.openshift.io endpointslices.discovery.k8s.io datavolumes.cdi.kubevirt.io " +
			"virtualmachineinstancemigrations.kubevirt.io", At: ControlPlane,
			Why: "why a control plane or *.apps is not reached, and why a worker VM is not ready"},
		{Verbs: "get", Resources: "deployments.apps", Names: "operator", At: access.In(operatorNamespace),
			Why: "whether the operator that deletes it runs"},
		{Verbs: "get", Resources: "deployments.apps", Names: "control-plane-operator", At: ControlPlane,
			Why: "whether the operator that cleans up runs"},
		{Verbs: "get", Resources: "managedclusters.cluster.open-cluster-management.io", Names: cluster,
			Why: "whether a cluster is joined to its hub"},
		{Verbs: "list", Resources: "managedclusters.cluster.open-cluster-management.io",
			Why: "which clusters are joined to their hub, for get clusters -o wide"},
		{Verbs: "list", Resources: "certificatesigningrequests.certificates.k8s.io",
			Why: "why a cluster does not join its hub"},
		{For: density(), Verbs: "list watch", Resources: "controlplanecomponents.hypershift.openshift.io", At: ControlPlane,
			Why: "why a component of a control plane is not available, and which release it is at"},
	})
}

// deleters returns the purposes other than Editor that delete hosted clusters.
func deleters() []Purpose { return append(density(), Cleanup) }

// loginRules returns the rules for access to hosted clusters.
func loginRules() []Rule {
	return rulesFor(Login, []Rule{
		{For: density(), Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster while hcctl waits"},
		{For: density(), Verbs: "get list watch", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "which Secrets are theirs"},
		{
			For:   density(),
			Verbs: "get list watch", Resources: "secrets", Names: cluster + "-admin-kubeconfig", At: Clusters,
			Why: fmt.Sprintf("the kubeconfigs of their administrators; kubeconfig %s and wait watch them", hint.Flag("wait")),
		},
		{Verbs: "get", Resources: "secrets", Names: cluster + "-kubeadmin-password", At: Clusters,
			Why: "kubeadmin's password"},
	})
}

// editorRules returns the rules for creating and changing hosted clusters: the checks before create, its writes, and
// its waits.
func editorRules() []Rule {
	addresses, way := []Feature{OwnAddresses}, []Feature{OwnIngress}
	return rulesFor(Editor, []Rule{
		{
			For:   density(),
			Verbs: "get", Names: "cluster",
			Why: "networks and domain, which a new cluster must not collide with; catalogs and " +
				"proxy, which it inherits",
			Resources: "infrastructures.config.openshift.io ingresses.config.openshift.io networks.config.openshift.io " +
				"networks.operator.openshift.io operatorhubs.config.openshift.io" +
				" proxies.config.openshift.io schedulers.config.openshift.io",
		},
		{
			For:   density(),
			Verbs: "list", Why: "whether there is all that a new cluster needs: mirrors, room, virtualization, addresses, a " +
				"default StorageClass",
			Resources: "imagedigestmirrorsets.config.openshift.io imagetagmirrorsets.config.openshift.io " +
				"imagecontentsourcepolicies.operator.openshift.io nodes pods" +
				" hyperconvergeds.hco.kubevirt.io bgpadvertisements.metallb.io configurationstates.metallb.io " +
				"ipaddresspools.metallb.io l2advertisements.metallb.io metallbs.metallb.io" +
				" multiclusterengines.multicluster.openshift.io csinodes.storage.k8s.io persistentvolumeclaims" +
				" storageclasses.storage.k8s.io " +
				"hostedclusters.hypershift.openshift.io nodepools.hypershift.openshift.io",
		},
		{For: density(), Verbs: "get", Resources: "customresourcedefinitions.apiextensions.k8s.io",
			Names: "hyperconvergeds.hco.kubevirt.io", Why: "which version of it is stored"},
		{Verbs: "list", Resources: "routes.route.openshift.io services",
			Why: "whether a name, a node port or an address of a new cluster is another one's"},
		{For: density(), Verbs: "get", Resources: "csidrivers.storage.k8s.io",
			Why: "whether the driver of a StorageClass is installed"},
		{For: density(), Verbs: "get", Resources: "ingresscontrollers.operator.openshift.io", Names: "default",
			At: access.In(ingressNamespace), Why: "whether its *.apps can be reached"},
		{For: density(), Verbs: "get", Resources: "deployments.apps", Names: "operator", At: access.In(operatorNamespace),
			Why: "HyperShift's operator"},
		{For: density(), Verbs: "get", Resources: "deployments.apps", Names: "router-default",
			At:  access.In(routerNamespace),
			Why: "whether the router takes wildcard Routes"},
		{For: density(), Verbs: "get", Resources: "addondeploymentconfigs.addon.open-cluster-management.io",
			Names: "hypershift-addon-deploy-config", Why: "how many hosted clusters the add-on allows"},
		{For: density(), Verbs: "get", Resources: "configmaps", Names: "supported-versions",
			At:  access.In(operatorNamespace),
			Why: "which versions HyperShift's operator can create"},
		{Verbs: "get", Resources: "configmaps", Names: "multus-daemon-config", At: access.In(multusNamespace),
			Why: fmt.Sprintf("whether worker VMs may use a network of another namespace (%s)", hint.Flag("additional-network"))},
		{Verbs: "get", Resources: "network-attachment-definitions.k8s.cni.cncf.io",
			Why: fmt.Sprintf("whether the networks of %s exist", hint.Flag("additional-network"))},
		{For: density(), Verbs: "list", Resources: "clusterimagesets.hive.openshift.io", Why: "the releases to choose from"},
		{For: density(), Verbs: "get", Resources: "secrets", Names: "pull-secret", At: access.In(configNamespace),
			Why: fmt.Sprintf("the management cluster's pull secret, where %s is not given", hint.Flag("pull-secret"))},
		{For: density(), Verbs: "get", Resources: "managedclusters.cluster.open-cluster-management.io", Names: cluster,
			Why: "whether the name is taken by another cluster of the hub"},
		{For: density(), Verbs: "get list watch", Resources: "namespaces",
			Why: "whether the namespaces are there, or are being deleted"},
		{For: density(), Verbs: "create", Resources: "namespaces", Unless: ByNamespace,
			Why: "the namespace of the first cluster, if there is none yet"},
		{For: density(), Verbs: "create", Resources: "hostedclusters.hypershift.openshift.io " +
			"nodepools.hypershift.openshift.io", Only: cluster, At: Clusters, Why: "new clusters and pools"},
		{For: density(), Verbs: "patch", Resources: "hostedclusters.hypershift.openshift.io", Names: cluster, At: Clusters,
			Why: "changes, upgrades, pauses clusters; asks for the clean-up of a deletion"},
		{Verbs: "list", Resources: "resourcequotas", At: ControlPlane,
			Why: "whether a quota leaves room for more worker VMs"},
		{Verbs: "list", Resources: "resourcequotas", At: Clusters,
			Why: "whether a quota leaves room for a new cluster or pool"},
		{Verbs: "patch", Resources: "nodepools.hypershift.openshift.io", Only: cluster, At: Clusters,
			Why: "scales, changes, upgrades, stops, pauses pools"},
		{For: density(), Verbs: "create", Resources: "secrets", Only: clusterSecrets, At: Clusters,
			Why: "a new cluster's pull secret and etcd key"},
		{
			For:   density(),
			Verbs: "get list watch", Resources: "secrets", At: Clusters, Why: "waits for a new cluster's kubeconfig; whether " +
				"its other Secrets are there",
			Names: cluster + "-admin-kubeconfig " + clusterSecrets,
		},
		{
			For:   density(),
			Verbs: "patch", Resources: "secrets", Names: clusterSecrets, At: Clusters,
			Why: "marks them with the UID of their hosted cluster, without which delete has less to go by",
		},
		{For: density(), Verbs: "list watch", Resources: "persistentvolumeclaims", At: ControlPlane,
			Why: "what keeps a control plane or a worker"},
		{Verbs: "get list watch", Resources: "hostedcontrolplanes.hypershift.openshift.io", Names: cluster, At: ControlPlane,
			Why: "whether an upgrade has reached the control plane"},
		{For: density(), Verbs: "list watch", Resources: "controlplanecomponents.hypershift.openshift.io", At: ControlPlane,
			Why: "why a component of a control plane is not available, and which release it is at"},
		{Verbs: "list", Resources: "metallbs.metallb.io ipaddresspools.metallb.io", Features: addresses,
			Why: "in which namespace MetalLB reads pools, and which of them serve a cluster"},
		{Verbs: "get list watch create patch", Resources: "ipaddresspools.metallb.io l2advertisements.metallb.io",
			At: access.In(metallb.DefaultNamespace), Features: addresses,
			Why: fmt.Sprintf("%s, %s", hint.Flag("metallb-addresses"), hint.Flag("metallb-pool"))},
		{Verbs: "get list watch create patch", Resources: "services routes.route.openshift.io", At: ControlPlane,
			Features: way, Why: fmt.Sprintf("%s service; guests before 4.12.2", hint.Flag("ingress"))},
		{Verbs: "delete", Resources: "ipaddresspools.metallb.io l2advertisements.metallb.io",
			At: access.In(metallb.DefaultNamespace), Features: addresses,
			Why: fmt.Sprintf("deletes what %s made", hint.Flag("metallb-addresses"))},
		{Verbs: "create", Resources: "routes/custom-host.route.openshift.io", At: ControlPlane, Features: way,
			Why: fmt.Sprintf("%s service: a Route with a host of its own", hint.Flag("ingress"))},
	})
}

// deleteRules returns the additional rules for deleting a hosted cluster.
func deleteRules() []Rule {
	return rulesFor(Editor, []Rule{
		{For: deleters(), Verbs: "delete", Resources: "hostedclusters.hypershift.openshift.io", Names: cluster, At: Clusters,
			Why: "deletes clusters"},
		{Verbs: "delete", Resources: "nodepools.hypershift.openshift.io", Only: cluster, At: Clusters, Why: "deletes pools"},
		{For: deleters(), Verbs: "list watch", Resources: "configmaps", At: Clusters,
			Why: "those that were made for a cluster: they carry its label, under any name"},
		{For: deleters(), Verbs: "list watch", Resources: "secrets", At: Clusters, Unless: ByName, Why: "the same"},
		{
			For:   deleters(),
			Verbs: "delete", Resources: "secrets", Names: clusterSecrets, At: Clusters,
			Why: "those that create made",
		},
		{For: deleters(), Verbs: "list watch delete", Resources: "managedclusters.cluster.open-cluster-management.io",
			Names: cluster, Why: "detaches it from the hub, where the add-on imported it"},
		{For: deleters(), Verbs: "list watch", Resources: "persistentvolumes", Why: "waits until its volumes are gone"},
		{For: deleters(), Verbs: "list watch", Resources: "deployments.apps", Names: "operator",
			At:  access.In(operatorNamespace),
			Why: "whether HyperShift's operator runs"},
		{
			For:   deleters(),
			Verbs: "list watch", Resources: "deployments.apps", Names: "capi-provider cluster-api control-plane-operator",
			At:  ControlPlane,
			Why: "whether the controllers that clean up are running",
		},
		{For: deleters(), Verbs: "list watch", Resources: "hostedcontrolplanes.hypershift.openshift.io", At: ControlPlane,
			Why: "whose control plane it is, and how far its removal has got"},
		{Verbs: "list watch", Resources: "machines.cluster.x-k8s.io", At: ControlPlane,
			Why: "which workers of a cluster that is being deleted are left"},
		{For: deleters(), Verbs: "list watch", Resources: "services", At: ControlPlane,
			Why: "what is left of the guest's load balancers"},
	})
}
