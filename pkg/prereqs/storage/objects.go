package storage

import (
	"cmp"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

const (
	// storageClusterName is the name in Red Hat's documents and console. Names of StorageClasses begin with it.
	storageClusterName = "ocs-storagecluster"
	storageSystemName  = storageClusterName + "-storagesystem"
	deviceSetName      = "ocs-deviceset-" + localClass
	// localDevices is the annotation by which the console recognizes a StorageCluster on local disks (4.12 to 4.21).
	localDevices = "cluster.ocs.openshift.io/local-devices"
	// Suffixes of the default names of the classes that a StorageCluster makes.
	blockSuffix          = "-ceph-rbd"
	virtualizationSuffix = blockSuffix + "-virtualization"
	filesSuffix          = "-cephfs"
)

// newDiscovery returns a LocalVolumeDiscovery for all workers.
func newDiscovery(namespace string) *unstructured.Unstructured {
	return prereq.NewObject(kube.LocalVolumeDiscovery, namespace, discoveryName, map[string]any{
		"nodeSelector": nodesWith(prereq.WorkerLabel),
		"tolerations":  storageTolerations(),
	})
}

// newStorageCluster returns a StorageCluster on the nodes' disks. A storage request of "1" binds a whole disk of any
// size.
func newStorageCluster(namespace, class string, over spread) *unstructured.Unstructured {
	spec := map[string]any{
		"monDataDirHostPath": "/var/lib/rook",
		"storageDeviceSets": []any{map[string]any{
			"name":     deviceSetName,
			"count":    over.count,
			"replica":  over.replica,
			"portable": false,
			"dataPVCTemplate": map[string]any{"spec": map[string]any{
				"accessModes":      []any{"ReadWriteOnce"},
				"volumeMode":       "Block",
				"storageClassName": class,
				"resources":        map[string]any{"requests": map[string]any{"storage": "1"}},
			}},
		}},
	}
	if over.flexible {
		spec["flexibleScaling"] = true
	}
	sc := prereq.NewObject(kube.StorageCluster, namespace, storageClusterName, spec)
	sc.SetAnnotations(map[string]string{localDevices: "true"})
	return sc
}

// setBlockPools sets these fields of spec.managedResources.cephBlockPools to true.
func setBlockPools(sc *unstructured.Unstructured, switches ...string) {
	if len(switches) == 0 {
		return
	}
	pools := map[string]any{}
	for _, name := range switches {
		pools[name] = true
	}
	spec, _, _ := unstructured.NestedMap(sc.Object, "spec")
	spec["managedResources"] = map[string]any{"cephBlockPools": pools}
	sc.Object["spec"] = spec
}

// blockClass returns the class of a StorageCluster's block volumes, or "" if the spec disables it, which 4.12 to 4.19
// can (disableStorageClass). From 4.14 on the classes can have other names.
func blockClass(sc *unstructured.Unstructured) string {
	if kube.Flag(sc, "spec", "managedResources", "cephBlockPools", "disableStorageClass") {
		return ""
	}
	return cmp.Or(kube.Text(sc, "spec", "managedResources", "cephBlockPools", "storageClassName"),
		sc.GetName()+blockSuffix)
}

// clusterClasses returns the classes for volumes that a StorageCluster makes: for files, for block volumes, and for
// virtual machines (from 4.14 on, once OpenShift Virtualization is installed).
func clusterClasses(sc *unstructured.Unstructured) []string {
	names := []string{cmp.Or(kube.Text(sc, "spec", "managedResources", "cephFilesystems", "storageClassName"),
		sc.GetName()+filesSuffix)}
	if block := blockClass(sc); block != "" {
		names = append(names, block, virtualClass(sc))
	}
	return names
}

// virtualClass returns the class of a StorageCluster for disks of virtual machines.
func virtualClass(sc *unstructured.Unstructured) string {
	return cmp.Or(kube.Text(sc, "spec", "managedResources", "cephBlockPools", "virtualizationStorageClassName"),
		sc.GetName()+virtualizationSuffix)
}

func newStorageSystem(namespace string) *unstructured.Unstructured {
	return prereq.NewObject(kube.StorageSystem, namespace, storageSystemName, map[string]any{
		"kind":      "storagecluster.ocs.openshift.io/v1",
		"name":      storageClusterName,
		"namespace": namespace,
	})
}

// marksDefaultClass reports whether this version has the field that marks its block class as default. Such a version
// reconciles its classes, so that an annotation set by hand does not last.
func marksDefaultClass(version *semver.Version) bool {
	return version.Compare(semver.New(4, 15, 0, "", "")) >= 0
}

// marksVirtualClass reports whether this version marks its class for virtual machines only on request, by field
// defaultVirtualizationStorageClass. 4.14 to 4.18 always mark it (ocs-operator).
func marksVirtualClass(version *semver.Version) bool {
	return version.Compare(semver.New(4, 19, 0, "", "")) >= 0
}

// hasStorageSystems reports whether this version has StorageSystems; 4.19 and later delete them.
func hasStorageSystems(version *semver.Version) bool {
	return version.LessThan(semver.New(4, 19, 0, "", ""))
}

// nodesWith returns a core/v1 NodeSelector for the nodes that carry the label.
func nodesWith(label string) map[string]any {
	return map[string]any{"nodeSelectorTerms": []any{map[string]any{
		"matchExpressions": []any{map[string]any{"key": label, "operator": "Exists"}},
	}}}
}

func storageTolerations() []any {
	return []any{map[string]any{"key": prereq.StorageTaint, "operator": "Equal", "value": "true", "effect": "NoSchedule"}}
}
