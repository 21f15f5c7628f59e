package hostedtest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// World is a management cluster with the kinds that hosted clusters use.
type World struct {
	*kube.Client
	*kubetest.API
}

// NewWorld returns a World without any object.
func NewWorld(t testing.TB) *World {
	t.Helper()
	api := kubetest.Serve(t)
	for groupVersion, kinds := range map[string]string{
		"v1":      "Namespace PersistentVolume Node Secret ConfigMap Service Pod PersistentVolumeClaim",
		"apps/v1": "Deployment", "route.openshift.io/v1": "Route", "storage.k8s.io/v1": "StorageClass",
		"cluster.open-cluster-management.io/v1":      "ManagedCluster",
		"cluster.open-cluster-management.io/v1beta2": "ManagedClusterSet",
		"hive.openshift.io/v1":                       "ClusterImageSet", "config.openshift.io/v1": "ClusterVersion",
		"hypershift.openshift.io/v1beta1": "HostedCluster HostedControlPlane ControlPlaneComponent NodePool",
		"cluster.x-k8s.io/v1beta1":        "Cluster Machine",
		"kubevirt.io/v1":                  "VirtualMachine VirtualMachineInstance",
		"metallb.io/v1beta1":              "IPAddressPool MetalLB",
		"k8s.cni.cncf.io/v1":              "NetworkAttachmentDefinition",
	} {
		api.RegisterKinds(t, groupVersion, strings.Fields(kinds)...)
	}
	return &World{api.Client, api}
}

// Writes returns the accepted writes since the last call, such as "delete /api/v1/namespaces/clusters".
func (w *World) Writes() string {
	var writes []string
	for _, r := range w.Take() {
		if r.Method != strings.ToLower(http.MethodGet) && !r.Refused {
			writes = append(writes, r.Method+" "+r.Path)
		}
	}
	return strings.Join(writes, "\n")
}
