package kube

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// finalizerOwners maps the known finalizers of hosted clusters and their dependencies to the controller that removes
// them. Sources: HyperShift v0.1.80, Cluster API, KubeVirt, CDI, Kubernetes 1.33 and Open Cluster Management.
var finalizerOwners = map[string]string{
	"hypershift.openshift.io/finalizer":           "the HyperShift operator",
	"hypershift.openshift.io/component-finalizer": "the HyperShift operator",
	"openshift.io/destroy-cluster": "the hypershift command line, at " +
		"the end of its own destroy",
	"cluster.cluster.x-k8s.io": "Cluster API, Deployment cluster-api, once its KubevirtCluster is gone, which " +
		"Deployment capi-provider removes",
	"machine.cluster.x-k8s.io": "Cluster API, Deployment cluster-api, once its KubevirtMachine is gone, which " +
		"Deployment capi-provider removes",
	"cluster.x-k8s.io/machinedeployment": "Cluster API, Deployment " +
		"cluster-api",
	"cluster.x-k8s.io/machineset": "Cluster API, Deployment " +
		"cluster-api",
	"kubevirtcluster.infrastructure.cluster.x-k8s.io": "Cluster API's KubeVirt " +
		"provider, Deployment capi-provider",
	"kubevirtmachine.infrastructure.cluster.x-k8s.io": "Cluster API's KubeVirt " +
		"provider, Deployment capi-provider",
	"kubevirt.io/virtualMachineControllerFinalize": "KubeVirt, Deployment " +
		"openshift-cnv/virt-controller",
	"foregroundDeleteVirtualMachine": "KubeVirt, DaemonSet openshift-cnv/virt-handler",
	"kubernetes.io/pvc-protection":   "Kubernetes, once no pod uses the volume",
	"kubernetes.io/pv-protection":    "Kubernetes, once no claim uses the volume",
	"external-provisioner.volume.kubernetes.io/finalizer": "the storage driver, once it has deleted the " +
		"volume",
	"snapshot.storage.kubernetes.io/pvc-as-source-protection": "the snapshot controller, once no snapshot is " +
		"being taken of the volume",
	"service.kubernetes.io/load-balancer-cleanup": "the load balancer's controller",
	"foregroundDeletion":                          "Kubernetes, once what the object owns is gone",
	"orphan":                                      "Kubernetes' garbage collector",
	"kubernetes":                                  "Kubernetes, once the namespace is empty",
	"cluster.open-cluster-management.io/api-resource-cleanup": "multicluster engine's " +
		"registration controller",
	"cluster.open-cluster-management.io/resource-cleanup": "multicluster engine's registration controller, once the " +
		"cluster's addons and works are gone",
	"open-cluster-management.io/managedclusterrole": "multicluster engine's " +
		"registration controller",
	"managedcluster-import-controller.open-cluster-management.io/cleanup": "multicluster engine's import " +
		"controller",
	"managedcluster-import-controller.open-cluster-management.io/manifestwork-cleanup": "multicluster engine's import " +
		"controller",
	"managedclusterinfo.finalizers.open-cluster-management.io":       "multicluster engine's cluster manager",
	"agent.open-cluster-management.io/klusterletaddonconfig-cleanup": "Advanced Cluster Management's add-on controller",
	"cluster.open-cluster-management.io/manifest-work-cleanup": "the klusterlet, which needs the hosted API to " +
		"answer",
}

// Finalizers lists the finalizers of an object with their owners: "kubernetes.io/pvc-protection (Kubernetes, once no
// pod uses the volume)". For an unknown finalizer it names the field manager that set it.
func Finalizers(o client.Object) string {
	var parts []string
	for _, f := range o.GetFinalizers() {
		switch by := finalizerManager(o, f); {
		case finalizerOwners[f] != "":
			f += " (" + finalizerOwners[f] + ")"
		case by != "":
			f += " (put on by " + by + ")"
		}
		parts = append(parts, f)
	}
	return strings.Join(parts, ", ")
}

// KnownFinalizer reports whether hcctl knows the controller that removes the finalizer.
func KnownFinalizer(name string) bool { return finalizerOwners[name] != "" }

// finalizerManager returns the field manager that set the finalizer.
func finalizerManager(o client.Object, finalizer string) string {
	for _, entry := range o.GetManagedFields() {
		if entry.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Metadata struct {
				Finalizers map[string]json.RawMessage `json:"f:finalizers"`
			} `json:"f:metadata"`
		}
		if json.Unmarshal([]byte(entry.FieldsV1.GetRawString()), &fields) != nil {
			continue
		}
		if _, found := fields.Metadata.Finalizers[`v:"`+finalizer+`"`]; found {
			return entry.Manager
		}
	}
	return ""
}

// WrittenBy reports whether the manager owns fields of the object.
func WrittenBy(o client.Object, manager string) bool {
	return slices.ContainsFunc(o.GetManagedFields(),
		func(e metav1.ManagedFieldsEntry) bool { return e.Manager == manager })
}

// UnknownFinalizers returns the finalizers whose owner hcctl does not know.
func UnknownFinalizers(o client.Object) []string {
	return slices.DeleteFunc(slices.Clone(o.GetFinalizers()), KnownFinalizer)
}
