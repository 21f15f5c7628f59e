package rbac

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/dump"
	"github.com/hcctl/hcctl/pkg/kube/access"
)

// dumpRules returns the rules for dump. A control plane's namespace has objects of many kinds, and new versions add
// more. Gather is Dump without Secrets.
func dumpRules() []Rule {
	rules := rulesFor(Dump, []Rule{
		{Verbs: "list", Resources: "*.*", At: ControlPlane, Why: "all that there is of a control plane; of Secrets only " +
			"names and keys are written"},
		{Verbs: "get", Resources: "virtualmachineinstances/console.subresources.kubevirt.io", At: ControlPlane,
			Features: []Feature{Consoles}, Why: fmt.Sprintf("%s: what the VMs print", hint.Flag("consoles"))},
		{Verbs: "list", Resources: "secrets", At: Clusters, Unless: ByName,
			Why: "those of the hosted cluster; only names and keys are written"},
		{Verbs: "list", Resources: "manifestworks.work.open-cluster-management.io", At: Imported,
			Features: []Feature{ManifestWorks},
			Why: fmt.Sprintf("%s: what the hub does with the hosted cluster, where it was imported",
				hint.Flag("manifestworks"))},
	})
	gather := rulesFor(Gather, []Rule{
		{Verbs: "list", Resources: strings.Join(dump.KnownKinds, " "), At: ControlPlane,
			Why: "what there is of a control plane, without Secrets"},
		{Verbs: "get", Resources: "pods/log", At: ControlPlane, Why: "the logs of its pods"},
		{Verbs: "get list", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters, Why: "the hosted cluster"},
		{Verbs: "list", Resources: "nodepools.hypershift.openshift.io configmaps events", At: Clusters,
			Why: "the hosted cluster"},
		{
			Verbs: "get", Resources: "secrets", Names: cluster + "-admin-kubeconfig " + cluster + "-kubeadmin-password " +
				clusterSecrets, At: Clusters,
			Why: "access to the hosted cluster; what must not show in the dump",
		},
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster that is read"},
		{Verbs: "get list", Resources: "namespaces", Why: "which are its own"},
		{
			Verbs: "list", Why: "what every hosted cluster depends on",
			Resources: "clusterversions.config.openshift.io clusteroperators.config.openshift.io " +
				"infrastructures.config.openshift.io networks.config.openshift.io" +
				" ingresses.config.openshift.io ingresscontrollers.operator.openshift.io nodes persistentvolumes " +
				"storageclasses.storage.k8s.io csidrivers.storage.k8s.io csinodes.storage.k8s.io " +
				"volumeattachments.storage.k8s.io machineconfigpools.machineconfiguration.openshift.io " +
				"subscriptions.operators.coreos.com clusterserviceversions.operators.coreos.com " +
				"installplans.operators.coreos.com " +
				"catalogsources.operators.coreos.com customresourcedefinitions.apiextensions.k8s.io" +
				" volumesnapshotclasses.snapshot.storage.k8s.io storageprofiles.cdi.kubevirt.io hyperconvergeds.hco.kubevirt.io " +
				"kubevirts.kubevirt.io cdis.cdi.kubevirt.io" +
				" metallbs.metallb.io ipaddresspools.metallb.io bgppeers.metallb.io l2advertisements.metallb.io " +
				"bgpadvertisements.metallb.io multiclusterengines.multicluster.openshift.io" +
				" addondeploymentconfigs.addon.open-cluster-management.io managedclusteraddons.addon.open-cluster-management.io" +
				" managedclusters.cluster.open-cluster-management.io apiservices.apiregistration.k8s.io",
		},
		{Verbs: "list", Resources: "services configmaps", At: access.In(operatorNamespace),
			Why: "HyperShift's operator; not its Secrets"},
		{Verbs: "list", Resources: "deployments.apps pods events", At: Klusterlet,
			Why: "the klusterlet of the hosted cluster, where it was imported"},
	})
	for _, namespace := range dump.OperatorNamespaces {
		gather = append(gather, rulesFor(Gather, []Rule{
			{Verbs: "list", Resources: "deployments.apps daemonsets.apps pods events", At: access.In(namespace),
				Why: "the operators that hosted clusters depend on"},
			{Verbs: "get", Resources: "pods/log", At: access.In(namespace), Why: "their logs"},
		})...)
	}
	return append(rules, gather...)
}
