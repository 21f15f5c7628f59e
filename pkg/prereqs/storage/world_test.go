package storage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// with makes the prerequisites for options.
func with(o Options) []prereq.Prerequisite {
	v, err := o.Validate()
	if err != nil {
		panic(err)
	}
	return Prerequisites(v, olm.Pins{})
}

func run(t *testing.T, cases map[string]prereqtest.Case) {
	t.Helper()
	prereqtest.Run(t, with(Options{}), cases)
}

const (
	classesResource    = "storageclasses.storage.k8s.io"
	clustersResource   = "storageclusters.ocs.openshift.io"
	lvmResource        = "lvmclusters.lvm.topolvm.io"
	subscriptions      = "subscriptions.operators.coreos.com"
	installedCSVs      = "clusterserviceversions.operators.coreos.com"
	setsResource       = "localvolumesets.local.storage.openshift.io"
	discoveryResource  = "localvolumediscoveries.local.storage.openshift.io"
	resultsResource    = "localvolumediscoveryresults.local.storage.openshift.io"
	cephBlock          = "openshift-storage.rbd.csi.ceph.com"
	operatorCSV        = "odf-operator.v4.20.1"
	operatorsNamespace = "openshift-storage"
)

// class is a StorageClass; annotations are YAML, such as "storageclass.kubernetes.io/is-default-class: 'true'".
func class(name, provisioner, annotations string) string {
	return fmt.Sprintf(`
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: %s, annotations: {%s}}, provisioner: %s,
  allowVolumeExpansion: true, volumeBindingMode: Immediate}
`, name, annotations, provisioner)
}

const marked = "storageclass.kubernetes.io/is-default-class: 'true'"

// cephCluster is a StorageCluster of hcctl's own with as many disks, in a phase with good conditions.
func cephCluster(disks int, phase string) string {
	return fmt.Sprintf(`
---
apiVersion: ocs.openshift.io/v1
kind: StorageCluster
metadata: {name: ocs-storagecluster, namespace: openshift-storage, labels: {app.kubernetes.io/managed-by: hcctl}}
spec:
  flexibleScaling: true
  storageDeviceSets:
  - {name: ocs-deviceset-localblock, count: %d, replica: 1, dataPVCTemplate: {spec: {storageClassName: localblock}}}
status:
  phase: %s
  conditions:
  - {type: ReconcileComplete, status: "True", reason: ReconcileCompleted}
  - {type: Available, status: "True", reason: ReconcileCompleted}
  - {type: Progressing, status: "False", reason: ReconcileCompleted}
  - {type: Degraded, status: "False", reason: ReconcileCompleted}
`, disks, phase)
}

// volume is a PersistentVolume of the Local Storage Operator; claim is the namespace of its claim, or "".
func volume(node, device, claim string) string {
	ref := ""
	if claim != "" {
		ref = fmt.Sprintf("claimRef: {namespace: %s, name: c},", claim)
	}
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: local-%[1]s-%[2]s,
    labels: {storage.openshift.com/owner-name: localblock, kubernetes.io/hostname: %[1]s},
    annotations: {storage.openshift.com/device-name: %[2]s, storage.openshift.com/device-id: wwn-%[1]s-%[2]s}},
  spec: {storageClassName: localblock, volumeMode: Block, %[3]s capacity: {storage: 100Gi}}}
`, node, device, ref)
}

// worker is a node; labels are more YAML, such as "cluster.ocs.openshift.io/openshift-storage: ”".
func worker(name, labels string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Node, metadata: {name: %[1]s,
    labels: {node-role.kubernetes.io/worker: "", kubernetes.io/hostname: %[1]s, %[2]s}},
  status: {conditions: [{type: Ready, status: "True"}]}}
`, name, labels)
}

const storageNodeLabel = "cluster.ocs.openshift.io/openshift-storage: ''"

// found is what LocalVolumeDiscovery says of a node with one disk of this state.
func found(node, state string) string {
	return fmt.Sprintf(`
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeDiscoveryResult,
  metadata: {name: discovery-result-%[1]s, namespace: openshift-local-storage}, spec: {nodeName: %[1]s},
  status: {discoveredTimeStamp: "2026-01-01T00:00:00Z", discoveredDevices: [
    {path: /dev/sdb, deviceID: /dev/disk/by-id/wwn-%[1]s-sdb, type: disk, size: 107374182400, property: NonRotational,
      status: {state: %[2]s}}]}}
`, node, state)
}

const discovery = `
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeDiscovery,
  metadata: {name: auto-discover-devices, namespace: openshift-local-storage,
    labels: {app.kubernetes.io/managed-by: hcctl}}}
`

// volumeSet is a LocalVolumeSet of hcctl's own that is done.
const volumeSet = `
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeSet,
  metadata: {name: localblock, namespace: openshift-local-storage, creationTimestamp: "2026-01-01T00:00:00Z",
    labels: {app.kubernetes.io/managed-by: hcctl}},
  spec: {storageClassName: localblock, volumeMode: Block},
  status: {conditions: [{type: Available, status: "True"}, {type: DaemonSetsAvailable, status: "True"}]}}
`

// lvmGroups is an LVMCluster of hcctl's own in a state.
func lvmGroups(state string) string {
	return fmt.Sprintf(`
---
{apiVersion: lvm.topolvm.io/v1alpha1, kind: LVMCluster,
  metadata: {name: lvmcluster, namespace: openshift-lvm-storage, labels: {app.kubernetes.io/managed-by: hcctl}},
  spec: {storage: {deviceClasses: [{name: vg1, default: true}]}},
  status: {state: %[1]s, ready: true}}
`, state)
}

// ownGroups is an LVMCluster of hcctl's own that is Ready, for disks of nodes such as "w1, w2", by a name below by-id.
func ownGroups(nodes, link string) string {
	selector := fmt.Sprintf(`nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname,
  operator: In, values: [%s]}]}]}, deviceSelector: {optionalPaths: [/dev/disk/by-id/%s]}, default`, nodes, link)
	return strings.Replace(lvmGroups("Ready"), "default", selector, 1)
}

// foundation is the operator of OpenShift Data Foundation.
func foundation() string {
	return prereqtest.Installed("odf-operator", operatorsNamespace, operatorCSV)
}

func lvmStorage() string {
	return prereqtest.Installed("lvms-operator", "openshift-lvm-storage", "lvms-operator.v4.20.1")
}

func localStorage() string {
	return prereqtest.Installed("local-storage-operator", "openshift-local-storage", "local-storage-operator.v4.20.0")
}

// localVolume makes volumes of class localblock of disks that somebody picked.
const localVolume = `
---
{apiVersion: local.storage.openshift.io/v1, kind: LocalVolume,
  metadata: {name: local-disks, namespace: openshift-local-storage, creationTimestamp: "2026-01-01T00:00:00Z"},
  spec: {storageClassDevices: [{storageClassName: localblock, volumeMode: Block, devicePaths: [/dev/sdb]}]},
  status: {conditions: [{type: Available, status: "True", message: Ready}]}}
`

// foreignCeph is a StorageCluster that somebody else made on class localblock, over zones.
const foreignCeph = `
---
{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {name: mine, namespace: openshift-storage},
  spec: {storageDeviceSets: [{count: 1, dataPVCTemplate: {spec: {storageClassName: localblock}}}]},
  status: {phase: Ready, conditions: [{type: ReconcileComplete, status: "True"}, {type: Available, status: "True"},
      {type: Progressing, status: "False"}, {type: Degraded, status: "False"}]}}
`

// ownVolume is a LocalVolume of hcctl's own for the disks sdb of nodes, such as "w1, w2", whose volumes are made.
func ownVolume(nodes, operator string) string {
	paths := ""
	for _, node := range strings.Split(nodes, ", ") {
		paths += "/dev/disk/by-id/wwn-" + node + "-sdb, "
	}
	return fmt.Sprintf(`
---
{apiVersion: local.storage.openshift.io/v1, kind: LocalVolume,
  metadata: {name: localblock, namespace: openshift-local-storage, creationTimestamp: "2026-01-01T00:00:00Z",
    labels: {app.kubernetes.io/managed-by: hcctl}},
  spec: {nodeSelector: {nodeSelectorTerms: [{matchExpressions: [
      {key: kubernetes.io/hostname, operator: %s, values: [%s]}]}]},
    storageClassDevices: [{storageClassName: localblock, volumeMode: Block, devicePaths: [%s]}]},
  status: {conditions: [{type: Available, status: "True", message: Ready}]}}
`, operator, nodes, paths)
}
