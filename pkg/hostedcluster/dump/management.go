package dump

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
)

// Namespaces of the operators that every hosted cluster depends on.
const (
	addonNamespace = "open-cluster-management-agent-addon"
	// virtualizationNamespace is the namespace of OpenShift Virtualization.
	virtualizationNamespace = "openshift-cnv"
)

// OperatorNamespaces are the namespaces whose pods, events and logs are collected.
var OperatorNamespaces = []string{
	hostedcluster.OperatorNamespace, addonNamespace, metallb.DefaultNamespace, virtualizationNamespace,
}

// management collects the objects of the management cluster that every hosted cluster depends on.
func (d *Dump) management(ctx context.Context) string {
	list := []query{
		{resource: "clusterversions.config.openshift.io"},
		{resource: "clusteroperators.config.openshift.io"},
		{resource: "infrastructures.config.openshift.io"},
		{resource: "networks.config.openshift.io"},
		{resource: "ingresses.config.openshift.io"},
		{resource: "ingresscontrollers.operator.openshift.io"},
		{resource: "nodes"},
		{resource: "storageclasses.storage.k8s.io"},
		{resource: "csidrivers.storage.k8s.io"},
		{resource: "csinodes.storage.k8s.io"},
		{resource: "volumeattachments.storage.k8s.io"},
		{resource: "machineconfigpools.machineconfiguration.openshift.io"},
		{resource: "subscriptions.operators.coreos.com"},
		{resource: "clusterserviceversions.operators.coreos.com", selector: notCopied, trim: trimCSV},
		{resource: "installplans.operators.coreos.com", trim: trimInstallPlan},
		{resource: "catalogsources.operators.coreos.com"},
		{resource: "customresourcedefinitions.apiextensions.k8s.io", trim: trimCRD},
		{resource: "volumesnapshotclasses.snapshot.storage.k8s.io"},
		{resource: "storageprofiles.cdi.kubevirt.io"},
		{resource: "hyperconvergeds.hco.kubevirt.io"},
		{resource: "kubevirts.kubevirt.io"},
		{resource: "cdis.cdi.kubevirt.io"},
		{resource: "metallbs.metallb.io"},
		{resource: "ipaddresspools.metallb.io"},
		{resource: "bgppeers.metallb.io"},
		{resource: "l2advertisements.metallb.io"},
		{resource: "bgpadvertisements.metallb.io"},
		{resource: "multiclusterengines.multicluster.openshift.io"},
		{resource: "addondeploymentconfigs.addon.open-cluster-management.io"},
		{resource: "managedclusteraddons.addon.open-cluster-management.io", only: withName("hypershift-addon")},
		{resource: "apiservices.apiregistration.k8s.io", only: notAvailable},
	}
	for _, namespace := range OperatorNamespaces {
		for _, resource := range []string{"deployments.apps", "daemonsets.apps", "pods", "events"} {
			list = append(list, query{resource: resource, namespace: namespace})
		}
	}
	list = append(list, query{resource: "configmaps", namespace: hostedcluster.OperatorNamespace},
		query{resource: "services", namespace: hostedcluster.OperatorNamespace})
	return plural.Count(d.gather(ctx, d.managementSource(), list), "object")
}

// notCopied selects the original ClusterServiceVersions. OLM copies those that are installed for all namespaces into
// each namespace.
const notCopied = "!olm.copiedFrom"

// trimCSV keeps only the version and the status of a ClusterServiceVersion. The rest has icons and forms.
func trimCSV(u *unstructured.Unstructured) {
	keepFields(u, []string{"spec", "version"}, []string{"spec", "replaces"}, []string{"spec", "displayName"},
		[]string{"status"})
	unstructured.RemoveNestedField(u.Object, "status", "requirementStatus")
	u.SetAnnotations(nil)
}

// trimInstallPlan removes the manifests that an InstallPlan creates.
func trimInstallPlan(u *unstructured.Unstructured) {
	unstructured.RemoveNestedField(u.Object, "status", "plan")
	unstructured.RemoveNestedField(u.Object, "status", "bundleLookups")
}

// trimCRD keeps only the names, versions and conditions of a CustomResourceDefinition, because a schema may have a
// megabyte.
func trimCRD(u *unstructured.Unstructured) {
	versions := kube.Maps(u, "spec", "versions")
	kept := make([]any, len(versions))
	for i, v := range versions {
		kept[i] = map[string]any{"name": v["name"], "served": v["served"], "storage": v["storage"],
			"deprecated": v["deprecated"]}
	}
	keepFields(u, []string{"spec", "group"}, []string{"spec", "scope"}, []string{"spec", "names"},
		[]string{"spec", "conversion", "strategy"}, []string{"status"})
	_ = unstructured.SetNestedSlice(u.Object, kept, "spec", "versions")
	u.SetAnnotations(nil)
}

// keepFields removes everything except the metadata and these fields.
func keepFields(u *unstructured.Unstructured, fields ...[]string) {
	kept := map[string]any{"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(), "metadata": u.Object["metadata"]}
	for _, path := range fields {
		if value, found, err := unstructured.NestedFieldNoCopy(u.Object, path...); found && err == nil {
			_ = unstructured.SetNestedField(kept, value, path...)
		}
	}
	u.Object = kept
}

// notAvailable selects objects without a True condition Available.
func notAvailable(u *unstructured.Unstructured) bool {
	for _, c := range kube.Conditions(u) {
		if c.Type == "Available" && c.True() {
			return false
		}
	}
	return true
}
