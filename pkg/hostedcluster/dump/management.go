package dump

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
)

// The namespaces of the operators that every hosted cluster depends on.
const (
	hypershiftNamespace = "hypershift"
	addonNamespace      = "open-cluster-management-agent-addon"
	metalLBNamespace    = "metallb-system"
)

// management collects what every hosted cluster of the management cluster depends on.
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
		{resource: "volumesnapshotclasses.snapshot.storage.k8s.io"},
		{resource: "storageprofiles.cdi.kubevirt.io"},
		{resource: "hyperconvergeds.hco.kubevirt.io"},
		{resource: "kubevirts.kubevirt.io"},
		{resource: "cdis.cdi.kubevirt.io"},
		{resource: "metallbs.metallb.io"},
		{resource: "ipaddresspools.metallb.io"},
		{resource: "l2advertisements.metallb.io"},
		{resource: "bgpadvertisements.metallb.io"},
		{resource: "multiclusterengines.multicluster.openshift.io"},
		{resource: "addondeploymentconfigs.addon.open-cluster-management.io"},
		{resource: "managedclusteraddons.addon.open-cluster-management.io", only: withName("hypershift-addon")},
		{resource: "apiservices.apiregistration.k8s.io", only: notAvailable},
	}
	for _, namespace := range []string{hypershiftNamespace, addonNamespace, metalLBNamespace} {
		for _, resource := range []string{"deployments.apps", "pods", "events"} {
			list = append(list, query{resource: resource, namespace: namespace})
		}
	}
	list = append(list, query{resource: "configmaps", namespace: hypershiftNamespace},
		query{resource: "services", namespace: hypershiftNamespace})
	return plural.Count(d.gather(ctx, d.managementSource(), list), "object")
}

// notAvailable selects objects without a True condition Available.
func notAvailable(u *unstructured.Unstructured) bool {
	for _, c := range conditions(u) {
		if c.Type == "Available" && c.True() {
			return false
		}
	}
	return true
}
