package dump

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Where the parts run that every hosted cluster rests on.
const (
	hypershiftNamespace = "hypershift"
	addonNamespace      = "open-cluster-management-agent-addon"
	metalLBNamespace    = "metallb-system"
)

// management gathers what every hosted cluster of the management cluster rests on.
func (d *Dump) management(ctx context.Context) string {
	list := []wanted{
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
			list = append(list, wanted{resource: resource, namespace: namespace})
		}
	}
	list = append(list, wanted{resource: "configmaps", namespace: hypershiftNamespace},
		wanted{resource: "services", namespace: hypershiftNamespace})
	return counted(d.gather(ctx, d.here(), list), "object")
}

// notAvailable takes what has no condition Available that is True.
func notAvailable(u *unstructured.Unstructured) bool {
	for _, c := range conditions(u) {
		if c.Type == "Available" && c.True() {
			return false
		}
	}
	return true
}
