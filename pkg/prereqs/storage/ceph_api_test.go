package storage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// threeVolumes are one volume on each of three workers.
func threeVolumes(claim string) string {
	return volume("w1", "sdb", claim) + volume("w2", "sdb", claim) + volume("w3", "sdb", claim)
}

func TestLocalVolumes(t *testing.T) {
	workers := worker("w1", storageNodeLabel) + worker("w2", storageNodeLabel) + worker("w3", storageNodeLabel)
	disks := found("w1", "Available") + found("w2", "Available") + found("w3", "Available")
	raw := `
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeSet,
  metadata: {name: raw, namespace: ns, creationTimestamp: "2026-01-01T00:00:00Z"},
  spec: {storageClassName: san, volumeMode: Block},
  status: {conditions: [{type: Available, status: "True"}, {type: DaemonSetsAvailable, status: "True"}]}}
`
	other := `
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeDiscovery, metadata: {name: other, namespace: ns}}
`
	unready := `
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeSet, metadata: {name: localblock, namespace: ns},
  spec: {storageClassName: localblock, volumeMode: Block}, status: {conditions: [
    {type: Available, status: "False", reason: DaemonSetsNotReady, message: "0 of 3"}]}}
`
	// daemons are those of a DaemonSet of which none can be created.
	daemons := func(name, namespace string) string {
		return fmt.Sprintf(`
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: %[1]s, namespace: %[2]s, uid: of-it, generation: 1},
  status: {observedGeneration: 1, desiredNumberScheduled: 3, currentNumberScheduled: 0, numberReady: 0}}
---
{apiVersion: v1, kind: Event, metadata: {name: e, namespace: %[2]s}, type: Warning, reason: FailedCreate, count: 15,
  message: 'Error creating: pods "%[1]s-" is forbidden: error looking up service account %[2]s/local-storage-admin',
  lastTimestamp: %[3]q, involvedObject: {kind: DaemonSet, namespace: %[2]s, name: %[1]s, uid: of-it}}
`, name, namespace, time.Now().UTC().Format(time.RFC3339))
	}
	files := strings.Replace(volumeSet, ", volumeMode: Block", "", 1)
	nowhere := strings.Replace(raw, "volumeMode: Block", "volumeMode: Block, nodeSelector: {nodeSelectorTerms: "+
		"[{matchExpressions: [{key: disks, operator: In, values: [fast]}]}]}", 1)
	registered := []kube.Kind{kube.LocalVolumeSet, kube.LocalVolumeDiscovery}
	san := with(Options{Disks: disk.Options{Agreed: []string{"class=san"}}})
	run(t, map[string]prereqtest.Case{
		"no operator": {ID: LocalVolumes, State: step.StateMissing,
			Says: []string{"the Local Storage Operator is not installed"}},
		"not looked for": {Kinds: registered, ID: LocalVolumes, State: step.StateMissing,
			Says: []string{"the nodes' disks are not looked for"}},
		"somebody else looks": {Objects: []string{other}, Kinds: registered, ID: LocalVolumes, State: step.StateMissing,
			Says: []string{"the nodes' disks are not looked for"}},
		"not reported": {Objects: []string{discovery, workers}, Kinds: registered, ID: LocalVolumes,
			State: step.StatePending, Says: []string{"the disks of w1, w2, w3 are not reported yet"}},
		"found": {Objects: []string{discovery, workers, disks}, Kinds: registered, ID: LocalVolumes,
			State: step.StateMissing, Says: []string{"3 disks on 3 nodes, 300 GiB in all, are not used yet; digest sha256:"}},
		"too few": {Objects: []string{discovery, workers, disks, found("w3", "NotAvailable")}, Kinds: registered,
			ID: LocalVolumes, State: step.StateBroken, Says: []string{"2 of the 3", "w3 has 1 disk: sdb is in use"}},
		"made": {Objects: []string{volumeSet, workers, disks, threeVolumes("")}, ID: LocalVolumes, State: step.StateOK,
			Says: []string{"3 volumes of class localblock"}},
		"disks of others": {Objects: []string{discovery, workers, disks, strings.ReplaceAll(volume("w3", "sdb", ""),
			"storageClassName: localblock", "storageClassName: database")}, Kinds: registered, ID: LocalVolumes,
			State: step.StateBroken, Says: []string{"2 of the 3", "w3 has 1 disk: sdb is a volume of class database"}},
		"Ceph is on a LocalVolume": {Objects: []string{localVolume, foreignCeph, workers}, Kinds: registered,
			ID: LocalVolumes, State: step.StateOK,
			Says: []string{"not needed: StorageCluster openshift-storage/mine is there, on volumes of class localblock"}},
		"Ceph is on somebody's set": {Objects: []string{strings.ReplaceAll(volumeSet, "hcctl", "person"), foreignCeph},
			ID: LocalVolumes, State: step.StateOK, Says: []string{"not needed: StorageCluster openshift-storage/mine"}},
		"hcctl's Ceph is on hcctl's LocalVolume, a disk came": {Objects: []string{ownVolume("w1", "In"), workers, disks,
			cephCluster(3, "Ready"), volume("w1", "sdb", operatorsNamespace)}, Kinds: registered, ID: LocalVolumes,
			State: step.StateOK, Says: []string{"1 volume of class localblock; disks that are not used: " +
				"w2 /dev/sdb, w3 /dev/sdb (hcctl bootstrap --grow-storage takes them, after you agree)"}},
		"and is to be added": {Of: with(Options{Grow: true}), Objects: []string{ownVolume("w1", "In"), workers, disks,
			cephCluster(3, "Ready"), volume("w1", "sdb", operatorsNamespace)}, Kinds: registered, ID: LocalVolumes,
			State: step.StateMissing, Says: []string{"2 disks on 2 nodes, 200 GiB in all, are to be added"}},
		"hcctl's LocalVolume is waited for": {Objects: []string{ownVolume("w1, w2, w3", "In"), workers,
			strings.ReplaceAll(disks, "2026-01-01", "2126-01-01"), volume("w1", "sdb", "")}, Kinds: registered,
			ID: LocalVolumes, State: step.StatePending, Says: []string{"w2/sdb, w3/sdb not yet"}},
		"hcctl's LocalVolume was changed": {Objects: []string{ownVolume("w1", "NotIn"), workers, disks},
			Kinds: registered, ID: LocalVolumes, State: step.StateBroken, Says: []string{"is not the one that hcctl wrote"}},
		"somebody's Ceph is on hcctl's set": {Objects: []string{volumeSet, foreignCeph}, ID: LocalVolumes,
			State: step.StateOK, Says: []string{"not needed: StorageCluster openshift-storage/mine"}},
		"a LocalVolume to build on": {Objects: []string{localVolume, worker("w1", storageNodeLabel), worker("w2", ""),
			worker("w3", ""), threeVolumes("")}, Kinds: registered, ID: LocalVolumes, State: step.StateMissing,
			Says: []string{"LocalVolume openshift-local-storage/local-disks", "does not store on: w2, w3"}},
		"a LocalVolume, and labels": {Objects: []string{localVolume, workers, threeVolumes("")}, Kinds: registered,
			ID: LocalVolumes, State: step.StateOK, Says: []string{"3 volumes of class localblock"}},
		"a node was lost after it was built": {Objects: []string{volumeSet, workers, cephCluster(3, "Ready"),
			volume("w1", "sdb", operatorsNamespace)}, ID: LocalVolumes, State: step.StateOK,
			Says: []string{"1 volume of class localblock"}},
		"made by somebody else, and named": {Objects: []string{raw, workers}, Of: san, ID: LocalVolumes, State: step.StateBroken,
			Says: []string{"volumes of class san on 0 nodes", "oc logs -n ns"}},
		"it selects no node": {Objects: []string{nowhere, workers}, Of: san, ID: LocalVolumes, State: step.StateBroken,
			Says: []string{"LocalVolumeSet ns/raw: its nodeSelector selects 0 nodes", "oc get localvolumeset raw -n ns -o yaml"}},
		"with a file system": {Objects: []string{files, workers, disks, threeVolumes("")}, ID: LocalVolumes,
			State: step.StateBroken, Says: []string{"have a file system (spec.volumeMode is not Block)",
				"oc delete localvolumeset localblock -n openshift-local-storage"}},
		"with a file system, beside raw ones": {Objects: []string{files, workers, disks, raw}, ID: LocalVolumes,
			State: step.StateBroken, Says: []string{"have a file system", "hcctl bootstrap --disks class=san"}},
		"a LocalVolume with a file system": {Objects: []string{strings.Replace(localVolume, "Block", "Filesystem", 1), workers},
			Kinds: registered, ID: LocalVolumes, State: step.StateBroken,
			Says: []string{"spec.storageClassDevices[].volumeMode is not Block"}},
		"Ceph is on it all the same": {Objects: []string{files, workers, disks, cephCluster(3, "Ready"),
			threeVolumes(operatorsNamespace)}, ID: LocalVolumes, State: step.StateOK},
		"volumes from when it had none": {Objects: []string{volumeSet, workers,
			strings.ReplaceAll(threeVolumes(""), "Block", "Filesystem")}, ID: LocalVolumes, State: step.StateBroken,
			Says: []string{"volumes of class localblock on 0 nodes"}},
		"its selector has no node": {Objects: []string{strings.Replace(discovery, `hcctl}}`, `hcctl}}, status: {phase: `+
			`DiscoveryFailed, conditions: [{type: Degraded, status: "False", message: "no discovery daemons are scheduled for `+
			`running"}]}`, 1), workers}, Kinds: registered, ID: LocalVolumes, State: step.StatePending, Trouble: true,
			Says: []string{"no discovery daemons are scheduled for running",
				"oc describe localvolumediscovery auto-discover-devices -n openshift-local-storage"}},
		"no pod looks for disks": {Objects: []string{discovery, workers, daemons("diskmaker-discovery",
			"openshift-local-storage")}, Kinds: registered, ID: LocalVolumes, State: step.StatePending, Trouble: true,
			Says: []string{"DaemonSet openshift-local-storage/diskmaker-discovery: FailedCreate: error looking up service account",
				"the disks of w1, w2, w3 are not reported yet", "oc describe daemonset diskmaker-discovery -n openshift-local-storage"}},
		"no pod makes volumes": {Objects: []string{unready, workers, daemons("diskmaker-manager", "ns")}, ID: LocalVolumes,
			State: step.StatePending, Trouble: true, Says: []string{"DaemonSet ns/diskmaker-manager: FailedCreate: ",
				"Available False (DaemonSetsNotReady): 0 of 3"}},
		"made by nobody, and named": {Objects: []string{discovery, workers, disks, volumeSet}, Of: san, ID: LocalVolumes,
			State: step.StateBroken, Says: []string{"no LocalVolumeSet or LocalVolume makes raw volumes of class san"}},
		// A LocalVolumeSet takes every empty disk, of which it has made no volumes yet.
		"made by somebody else": {Objects: []string{discovery, workers, disks, raw}, Kinds: registered, ID: LocalVolumes,
			State: step.StateBroken, Says: []string{"0 of the 3", "w1 has 1 disk: sdb is to be taken by LocalVolumeSet ns/raw",
				"hcctl bootstrap --disks class=san"}},
		"set not ready": {Objects: []string{unready}, ID: LocalVolumes, State: step.StatePending,
			Says: []string{"Available False (DaemonSetsNotReady): 0 of 3"}},
		"a disk is refused": {Objects: []string{volumeSet, workers, disks, worker("w4", storageNodeLabel),
			found("w4", "Available"), threeVolumes("")}, ID: LocalVolumes, State: step.StateOK,
			Says: []string{"does not take w4/sdb"}},
		"too few volumes": {Objects: []string{volumeSet, workers, disks, volume("w1", "sdb", "")}, ID: LocalVolumes,
			State: step.StateBroken, Says: []string{"on 1 node", "does not take w2/sdb, w3/sdb"}},

		"no permission for sets": {Refused: prereqtest.Forbidden(setsResource), ID: LocalVolumes,
			Says: []string{"LocalVolumeSets", "not allowed"}},
		"no permission for LocalVolumes": {Kinds: registered,
			Refused: prereqtest.Forbidden("localvolumes.local.storage.openshift.io"), ID: LocalVolumes,
			Says: []string{"LocalVolumes", "not allowed"}},
		"no permission for discoveries": {Kinds: registered, Refused: prereqtest.Forbidden(discoveryResource),
			ID:   LocalVolumes,
			Says: []string{"LocalVolumeDiscovery auto-discover-devices", "not allowed"}},
		"no permission for results": {Objects: []string{discovery}, Kinds: registered,
			Refused: prereqtest.Forbidden(resultsResource),
			ID:      LocalVolumes, Says: []string{"LocalVolumeDiscoveryResults", "not allowed"}},
		"no permission for nodes": {Objects: []string{discovery, disks}, Kinds: registered,
			Refused: prereqtest.Forbidden("nodes"),
			ID:      LocalVolumes, Says: []string{"odes", "not allowed"}},
		"no permission for volumes": {Objects: []string{volumeSet}, Refused: prereqtest.Forbidden("persistentvolumes"),
			ID: LocalVolumes, Says: []string{"PersistentVolumes", "not allowed"}},
		"set, no permission for results": {Objects: []string{volumeSet}, Refused: prereqtest.Forbidden(resultsResource),
			ID: LocalVolumes, Says: []string{"LocalVolumeDiscoveryResults", "not allowed"}},
		"set, no permission for nodes": {Objects: []string{volumeSet}, Refused: prereqtest.Forbidden("nodes"),
			ID:   LocalVolumes,
			Says: []string{"odes", "not allowed"}},
	})
}

func TestApplyLocalVolumes(t *testing.T) {
	disks := found("w1", "Available") + found("w2", "Available") + found("w3", "NotAvailable")
	workers := worker("w1", "") + worker("w2", storageNodeLabel) + worker("w3", "")
	registered := []kube.Kind{kube.LocalVolumeSet, kube.LocalVolume, kube.LocalVolumeDiscovery}
	const volumes = "localvolumes.local.storage.openshift.io"
	const makeVolume = "patch " + volumes + " openshift-local-storage/localblock"
	grow := with(Options{Grow: true})
	run(t, map[string]prereqtest.Case{
		"look for disks first": {Objects: []string{localStorage()}, Kinds: registered, ID: LocalVolumes,
			Change: step.Created,
			Writes: []string{"patch " + discoveryResource + " openshift-local-storage/auto-discover-devices"},
			Sends:  []string{`"key":"node-role.kubernetes.io/worker"`, `"key":"node.ocs.openshift.io/storage"`}},
		"label the nodes with empty disks": {Objects: []string{localStorage(), discovery, workers, disks}, Kinds: registered,
			ID: LocalVolumes, Change: step.Created, Writes: []string{"patch nodes w1", makeVolume},
			Sends: []string{`{"metadata":{"labels":{"cluster.ocs.openshift.io/openshift-storage":""}}}`,
				`"devicePaths":["/dev/disk/by-id/wwn-w1-sdb","/dev/disk/by-id/wwn-w2-sdb"]`, `"volumeMode":"Block"`,
				`"key":"kubernetes.io/hostname","operator":"In","values":["w1","w2"]`}},
		"a disk is added to hcctl's own": {Of: grow, Objects: []string{localStorage(), discovery, workers, disks,
			ownVolume("w1", "In"), volume("w1", "sdb", "")}, Kinds: registered, ID: LocalVolumes, Change: step.Configured,
			Writes: []string{makeVolume},
			Sends: []string{`"devicePaths":["/dev/disk/by-id/wwn-w1-sdb","/dev/disk/by-id/wwn-w2-sdb"]`,
				`"values":["w1","w2"]`}},
		"hcctl's own, for other nodes": {Of: grow, Objects: []string{localStorage(), discovery, workers, disks,
			ownVolume("w1", "NotIn")}, Kinds: registered, ID: LocalVolumes,
			Fails: "its nodeSelector is not the one that hcctl wrote"},
		"disks that a person must agree to": {Of: with(Options{Disks: disk.Options{Media: "any"}}),
			Objects: []string{localStorage(), discovery, workers, strings.ReplaceAll(disks, "NonRotational", "Rotational")},
			Kinds:   registered, ID: LocalVolumes, Change: step.Unchanged}, // Check says why

		"label the nodes of somebody's volumes": {Objects: []string{localStorage(), localVolume, workers, threeVolumes("")},
			Kinds: registered, ID: LocalVolumes, Change: step.Configured, Writes: []string{"patch nodes w1", "patch nodes w3"},
			Sends: []string{`{"metadata":{"labels":{"cluster.ocs.openshift.io/openshift-storage":""}}}`}},
		"without OLM's operator": {Kinds: registered, ID: LocalVolumes, Change: step.Created,
			Writes: []string{"patch " + discoveryResource + " openshift-local-storage/auto-discover-devices"}},
		"Subscriptions not to be read": {Refused: prereqtest.Forbidden(subscriptions), ID: LocalVolumes, Fails: "Forbidden"},
		"discovery not to be read": {Kinds: registered, Refused: prereqtest.Forbidden(discoveryResource), ID: LocalVolumes,
			Fails: "LocalVolumeDiscovery openshift-local-storage/auto-discover-devices"},
		"results not to be read": {Objects: []string{discovery}, Refused: prereqtest.Forbidden(resultsResource),
			ID:    LocalVolumes,
			Fails: "Forbidden"},
		"node not to be read": {Objects: []string{discovery, disks}, Refused: prereqtest.Forbidden("nodes"), ID: LocalVolumes,
			Fails: "listing nodes: Forbidden"},
		"node not to be labelled": {Objects: []string{discovery, disks, workers}, Kinds: registered,
			Refused: prereqtest.Forbidden("patch nodes"), ID: LocalVolumes, Fails: "Node w1",
			Writes: []string{"patch nodes w1"}},
	})
}

// ceph is a CephCluster that finds this wrong with itself.
func ceph(namespace, health, code string) string {
	return fmt.Sprintf(`
---
{apiVersion: ceph.rook.io/v1, kind: CephCluster, metadata: {name: ceph, namespace: %s},
  status: {ceph: {health: %s, details: {%s: {severity: %[2]s, message: 1 full}}}}}
`, namespace, health, code)
}

// The class for virtual machines is marked on a StorageCluster that hcctl wrote, and on no other.
func TestTheClassForVirtualMachinesIsMarked(t *testing.T) {
	const (
		sets  = `"f:storageDeviceSets":{}`
		field = `"f:managedResources":{"f:cephBlockPools":{"f:defaultVirtualizationStorageClass":{}}}`
		virt  = "ocs-storagecluster-ceph-rbd-virtualization"
		words = "land on class ocs-storagecluster-ceph-rbd, not on " + virt
		patch = "patch storageclasses.storage.k8s.io " + virt
		asks  = `{"spec":{"managedResources":{"cephBlockPools":{"defaultVirtualizationStorageClass":true}}}}`
	)
	written := func(manager, fields, pools string) string {
		sc := strings.Replace(cephCluster(3, "Ready"), "managed-by: hcctl}}", fmt.Sprintf("managed-by: hcctl}, managedFields: "+
			"[{manager: %s, operation: Apply, fieldsType: FieldsV1, fieldsV1: {\"f:spec\":{%s}}}]}", manager, fields), 1)
		return strings.Replace(sc, "spec:\n", "spec:\n  managedResources: {cephBlockPools: {"+pools+"}}\n", 1)
	}
	block := class("ocs-storagecluster-ceph-rbd", cephBlock, marked)
	unmarked := class(virt, cephBlock, "")
	on := func(more ...string) []string {
		return append(more, foundation(), threeVolumes(operatorsNamespace), block)
	}
	earlier := prereqtest.Installed("odf-operator", operatorsNamespace, "odf-operator.v4.18.1")
	run(t, map[string]prereqtest.Case{
		"hcctl's own": {Objects: on(written("hcctl", sets, ""), unmarked), ID: Cluster, State: step.StateMissing,
			Says: []string{words}},
		"somebody else's": {Objects: on(written("console", sets, ""), unmarked), ID: Cluster, State: step.StateOK,
			Says: []string{words, "oc patch storagecluster ocs-storagecluster -n openshift-storage", virt}},
		"somebody has set the field": {Objects: on(written("hcctl", sets, "defaultVirtualizationStorageClass: false"),
			unmarked), ID: Cluster, State: step.StateOK, Says: []string{words, "oc patch"}},
		"marked": {Objects: on(written("hcctl", sets, ""), class(virt, cephBlock, virtClassAnnotation+": 'true'")),
			ID: Cluster, State: step.StateOK, Says: []string{"Ready"}},
		"unmarked by a person": {Objects: on(written("hcctl", sets, ""), class(virt, cephBlock, virtClassAnnotation+": 'false'")),
			ID: Cluster, Change: step.Unchanged},
		"no such class": {Objects: on(written("hcctl", sets, "")), ID: Cluster, Change: step.Unchanged},
		"before 4.19": {Objects: []string{written("hcctl", sets, ""), earlier, threeVolumes(operatorsNamespace), block,
			unmarked}, ID: Cluster, Change: step.Unchanged},
		"mark it": {Objects: on(written("hcctl", sets, ""), unmarked), ID: Cluster, Change: step.Configured,
			Writes: []string{"patch " + clustersResource + " openshift-storage/ocs-storagecluster", patch},
			Sends:  []string{asks, `{"metadata":{"annotations":{"storageclass.kubevirt.io/is-default-virt-class":"true"}}}`}},
		"the class alone": {Objects: on(written("hcctl", sets+","+field, "defaultVirtualizationStorageClass: true"),
			unmarked), ID: Cluster, Change: step.Configured, Writes: []string{patch}},
		"leave somebody else's": {Objects: on(written("console", sets, ""), unmarked), ID: Cluster,
			Change: step.Unchanged},
		"leave the field of others": {Objects: on(written("hcctl", sets, "defaultVirtualizationStorageClass: false"),
			unmarked), ID: Cluster, Change: step.Unchanged},
	})
}

func TestStorageClusterOnACluster(t *testing.T) {
	own := cephCluster(3, "Ready")
	grown := with(Options{Grow: true})
	spare := volume("w4", "sdb", "")
	waiting := strings.Replace(cephCluster(3, "Progressing"), `status: "True", reason: ReconcileCompleted`,
		`status: "False", reason: ReconcileFailed, message: "error while reconciling: old"`, 1)
	// From 4.20 on ocs-operator writes into the ClusterServiceVersion of rook-ceph-operator, before all else.
	rookless := strings.Replace(cephCluster(3, "Error"), `status: "True", reason: ReconcileCompleted`, `status: "False", `+
		`reason: ReconcileFailed, message: "Error while reconciling: no rook-ceph-operator CSV found in Succeeded phase", `+
		`lastTransitionTime: "2026-01-01T00:00:00Z"`, 1)
	const rook = `
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: rook-ceph-operator.v4.20.1,
  namespace: openshift-storage}, status: {phase: Failed, reason: ComponentUnhealthy, message: no pod}}
`
	const provider = `
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: ocs-provider-server, namespace: openshift-storage, generation: 1},
  spec: {replicas: 1}, status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1}}
`
	const crashing = `
---
{apiVersion: v1, kind: Pod, metadata: {name: ocs-provider-server-7c-x, namespace: openshift-storage,
    labels: {pod-template-hash: 7c}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet,
      name: ocs-provider-server-7c, uid: u}]}, spec: {containers: [{name: server}]},
  status: {phase: Running, containerStatuses: [{name: server, state: {waiting: {reason: CrashLoopBackOff}}}]}}
`
	run(t, map[string]prereqtest.Case{
		"none": {ID: Cluster, State: step.StateMissing, Says: []string{"there is no StorageCluster"}},
		"progressing": {Objects: []string{cephCluster(3, "Progressing")}, ID: Cluster, State: step.StatePending,
			Says: []string{"phase Progressing"}},
		"its operator waits, and the error is an old one": {Objects: []string{waiting, provider, crashing}, ID: Cluster,
			State: step.StatePending, Trouble: true, Says: []string{
				"Pod openshift-storage/ocs-provider-server-7c-x: ", "CrashLoopBackOff",
				"so StorageCluster openshift-storage/ocs-storagecluster: Progressing: its operator waits; the error in its " +
					"conditions is an old one", "oc describe pod ocs-provider-server-7c-x -n openshift-storage"}},
		"its operator waits for what only starts": {Objects: []string{waiting, provider}, ID: Cluster,
			State: step.StatePending, Says: []string{"Deployment openshift-storage/ocs-provider-server: 0 of 1 pods are ready"}},
		"what only starts, and its operator says more": {Objects: []string{cephCluster(3, "Progressing"), provider}, ID: Cluster,
			State: step.StatePending, Says: []string{"StorageCluster openshift-storage/ocs-storagecluster: phase Progressing"}},
		"it waits for Rook's operator": {Objects: []string{rookless, rook}, ID: Cluster, State: step.StateBroken, Trouble: true,
			Says: []string{"ClusterServiceVersion openshift-storage/rook-ceph-operator.v4.20.1: Failed (ComponentUnhealthy): a part of it was " +
				"up and is not any more; OLM installs it again: no pod; so StorageCluster openshift-storage/ocs-storagecluster: Error",
				"no rook-ceph-operator CSV found in Succeeded phase", "oc get pods,events -n openshift-storage"}},
		"it waits for Rook's operator, which never came": {Objects: []string{rookless, `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: rook, namespace: openshift-storage},
  spec: {name: rook-ceph-operator, source: redhat-operators, sourceNamespace: openshift-marketplace}, status: {conditions: [
    {type: CatalogSourcesUnhealthy, status: "True", reason: UnhealthyCatalogSourceFound,
      message: targeted catalogsource openshift-marketplace/redhat-operators missing}]}}
`}, ID: Cluster, State: step.StateBroken, Says: []string{"Subscription openshift-storage/rook: catalog openshift-marketplace/redhat-operators, " +
			"which it should come from, does not exist", "so StorageCluster openshift-storage/ocs-storagecluster: Error"}},
		"workloads not to be read": {Objects: []string{waiting, provider}, Refused: prereqtest.Forbidden("deployments.apps"),
			ID: Cluster, State: step.StatePending, Says: []string{"its operator waits"}},
		"ready": {Objects: []string{own, threeVolumes(operatorsNamespace)}, ID: Cluster, State: step.StateOK,
			Says: []string{"Ready"}},
		"a disk more": {Objects: []string{own, threeVolumes(operatorsNamespace), spare}, ID: Cluster,
			State: step.StateOK, Says: []string{"does not use: 1 (hcctl bootstrap --grow-storage adds them)"}},
		"a disk more, and it is to grow": {Objects: []string{own, threeVolumes(operatorsNamespace), spare}, Of: grown,
			ID: Cluster, State: step.StateMissing, Says: []string{"can have count 4"}},
		"it takes a disk": {Objects: []string{cephCluster(4, "Ready"), threeVolumes(operatorsNamespace), spare},
			Of: grown, ID: Cluster, State: step.StatePending, Says: []string{"it has taken 3 of the 4 disks"}},
		"Ceph is full": {Objects: []string{own, ceph(operatorsNamespace, "HEALTH_ERR", "OSD_FULL")}, ID: Cluster,
			State: step.StateBroken, Says: []string{"CephCluster openshift-storage/ceph", "OSD_FULL"}},
		"Ceph is full, and it is to grow": {Objects: []string{own, threeVolumes(operatorsNamespace), spare,
			ceph(operatorsNamespace, "HEALTH_ERR", "OSD_FULL")}, Of: grown, ID: Cluster, State: step.StateMissing,
			Says: []string{"can have count 4"}},
		"another Ceph is full": {Objects: []string{own, ceph("rook", "HEALTH_ERR", "OSD_FULL")}, ID: Cluster,
			State: step.StateOK, Says: []string{"Ready"}},
		"no permission for Ceph": {Objects: []string{own, ceph(operatorsNamespace, "HEALTH_ERR", "OSD_FULL")},
			Refused: prereqtest.Forbidden("cephclusters.ceph.rook.io"), ID: Cluster, State: step.StateOK,
			Says: []string{"Ready"}},
		"a disk more for somebody's": {Objects: []string{foreignCeph, threeVolumes(operatorsNamespace), spare}, ID: Cluster,
			State: step.StateOK, Says: []string{"(count 1, replica 3) does not use: 1"}},
		"a volume that goes is none": {Objects: []string{own, threeVolumes(operatorsNamespace), `
{apiVersion: v1, kind: PersistentVolume, metadata: {name: gone, deletionTimestamp: "2026-01-01T00:00:00Z",
    labels: {storage.openshift.com/owner-name: localblock}}, spec: {storageClassName: localblock}}
`}, ID: Cluster, State: step.StateOK, Says: []string{"Ready"}},
		"volumes of others are none": {Objects: []string{own, `
{apiVersion: v1, kind: PersistentVolume, metadata: {name: other}, spec: {storageClassName: localblock}}
`}, ID: Cluster, State: step.StateOK, Says: []string{"Ready"}},
		"no permission": {Of: with(Options{Mode: ModeDataFoundation}), Refused: prereqtest.Forbidden(clustersResource),
			ID:   Cluster,
			Says: []string{"StorageClusters", "not allowed"}},
		"no permission for volumes": {Objects: []string{own}, Refused: prereqtest.Forbidden("persistentvolumes"), ID: Cluster,
			Says: []string{"PersistentVolumes", "not allowed"}},
	})
}

func TestApplyStorageCluster(t *testing.T) {
	const makeCluster = "patch " + clustersResource + " openshift-storage/ocs-storagecluster"
	registered := []kube.Kind{kube.StorageCluster, kube.StorageSystem}
	old := prereqtest.Installed("odf-operator", operatorsNamespace, "odf-operator.v4.18.9")
	oldest := prereqtest.Installed("odf-operator", operatorsNamespace, "odf-operator.v4.14.9")
	san := `
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeSet, metadata: {name: raw, namespace: ns},
  spec: {storageClassName: san, volumeMode: Block}}
`
	const asksForDefault = `"managedResources":{"cephBlockPools":{"defaultStorageClass":true}}`
	grown := with(Options{Grow: true})
	zone := func(n string) string { return worker("w"+n, "topology.kubernetes.io/zone: z"+n) }
	run(t, map[string]prereqtest.Case{
		"create": {Objects: []string{foundation(), threeVolumes("")}, Kinds: registered, ID: Cluster, Change: step.Created,
			Writes: []string{makeCluster},
			Sends: []string{`"count":3`, `"storageClassName":"localblock"`, `"flexibleScaling":true`, `"replica":1`,
				`{"cephBlockPools":{"defaultStorageClass":true,"defaultVirtualizationStorageClass":true}}`,
				`"annotations":{"cluster.ocs.openshift.io/local-devices":"true"}`}},
		"over zones": {Objects: []string{foundation(), zone("1"), zone("2"), zone("3"), threeVolumes("")},
			Kinds: registered, ID: Cluster, Change: step.Created, Writes: []string{makeCluster},
			Sends: []string{`"count":1`, `"replica":3`}},
		"nodes not to be read": {Objects: []string{foundation(), threeVolumes("")}, Refused: prereqtest.Forbidden("nodes"),
			ID: Cluster, Fails: "listing nodes: Forbidden"},
		"with a StorageSystem before 4.19": {Objects: []string{old, threeVolumes("")}, Kinds: registered, ID: Cluster,
			Change: step.Created, Writes: []string{
				"patch storagesystems.odf.openshift.io openshift-storage/ocs-storagecluster-storagesystem", makeCluster},
			Sends: []string{`"kind":"storagecluster.ocs.openshift.io/v1"`, asksForDefault}},
		"before 4.15 the class is not asked to be the default": {Objects: []string{oldest, threeVolumes("")},
			Kinds: registered, ID: Cluster, Change: step.Created, Writes: []string{
				"patch storagesystems.odf.openshift.io openshift-storage/ocs-storagecluster-storagesystem", makeCluster},
			Sends: []string{`"storageClassName":"localblock","volumeMode":"Block"}}` +
				`,"name":"ocs-deviceset-localblock","portable":false,"replica":1}]}}`}},
		"a default class stays": {Objects: []string{foundation(), threeVolumes(""), class("fast", "x.example", marked)},
			Kinds: registered, ID: Cluster, Change: step.Created, Writes: []string{makeCluster},
			Sends: []string{`"managedResources":{"cephBlockPools":{"defaultVirtualizationStorageClass":true}}`}},
		"no free volumes of the class": {Objects: []string{foundation(), threeVolumes(""), san}, ID: Cluster,
			Of: with(Options{Disks: disk.Options{Agreed: []string{"class=san"}}}), Fails: "no free PersistentVolumes of class san"},
		"a class of others is left": {Objects: []string{foundation(), threeVolumes(""), san}, Kinds: registered, ID: Cluster,
			Change: step.Created, Writes: []string{makeCluster}, Sends: []string{`"storageClassName":"localblock"`}},
		"operator not installed": {Objects: []string{threeVolumes("")}, ID: Cluster,
			Fails: "OpenShift Data Foundation: it is not installed"},
		"grow": {Objects: []string{foundation(), cephCluster(3, "Ready"), threeVolumes(operatorsNamespace),
			volume("w4", "sdb", "")}, Of: grown, ID: Cluster, Change: step.Configured, Writes: []string{makeCluster},
			Sends: []string{`"count":4`, `"resourceVersion":`}},
		"grow on a node without the label": {Objects: []string{foundation(), cephCluster(3, "Ready"),
			threeVolumes(operatorsNamespace), volume("w4", "sdb", ""), worker("w4", "")}, Of: grown, ID: Cluster,
			Change: step.Configured, Writes: []string{"patch nodes w4", makeCluster},
			Sends: []string{`{"metadata":{"labels":{"cluster.ocs.openshift.io/openshift-storage":""}}}`, `"count":4`}},
		"the node is not to be labelled": {Objects: []string{foundation(), cephCluster(3, "Ready"),
			threeVolumes(operatorsNamespace), volume("w4", "sdb", ""), worker("w4", "")}, Of: grown, ID: Cluster,
			Refused: prereqtest.Forbidden("patch nodes"), Fails: "Node w4", Writes: []string{"patch nodes w4"}},
		"grow only if asked to": {Objects: []string{foundation(), cephCluster(3, "Ready"),
			threeVolumes(operatorsNamespace), volume("w4", "sdb", "")}, ID: Cluster, Change: step.Unchanged},
		"no need to grow": {Objects: []string{foundation(), cephCluster(3, "Ready"), threeVolumes(operatorsNamespace)},
			Of: grown, ID: Cluster, Change: step.Unchanged},
		"not to be read": {Refused: prereqtest.Forbidden(clustersResource), ID: Cluster, Fails: "Forbidden"},
		"volumes not to be read": {Objects: []string{foundation()}, Refused: prereqtest.Forbidden("persistentvolumes"),
			ID: Cluster, Fails: "PersistentVolumes: Forbidden"},
		"sets not to be read": {Objects: []string{foundation(), threeVolumes("")},
			Refused: prereqtest.Forbidden(setsResource),
			ID:      Cluster, Fails: "LocalVolumeSets: Forbidden"},
		"classes not to be read": {Objects: []string{foundation(), threeVolumes("")},
			Refused: prereqtest.Forbidden(classesResource),
			ID:      Cluster, Fails: "Forbidden"},
		"system not to be written": {Objects: []string{old, threeVolumes("")}, ID: Cluster,
			Refused: prereqtest.Forbidden("storagesystems.odf.openshift.io"), Fails: "StorageSystem"},
	})
}

func TestLVMClusterOnACluster(t *testing.T) {
	two := worker("w1", "") + worker("w2", "") + found("w1", "Available") + found("w2", "Available") + discovery
	ready := lvmStorage() + localStorage() + two
	offered := prereqtest.ClusterVersion("4.20.3") + prereqtest.Offered("lvms-operator", "openshift-lvm-storage",
		"stable-4.20", "lvms-operator.v4.20.1")
	old := prereqtest.Installed("lvms-operator", "openshift-storage", "lvms-operator.v4.13.2") + localStorage() + two
	hard := strings.ReplaceAll(two, "NonRotational", "Rotational")
	plain := strings.NewReplacer("deviceID: /dev/disk/by-id/wwn-w1-sdb, ", "", "deviceID: /dev/disk/by-id/wwn-w2-sdb, ", "").
		Replace(two)
	one := Options{Mode: ModeLVM, Disks: disk.Options{Nodes: "kubernetes.io/hostname=w2"}}
	anyMedia := Options{Mode: ModeLVM, Disks: disk.Options{Media: disk.AnyMedia}}
	grow := Options{Mode: ModeLVM, Grow: true}
	const makes = "patch " + lvmResource + " openshift-lvm-storage/lvmcluster"
	prereqtest.Run(t, with(Options{Mode: ModeLVM}), map[string]prereqtest.Case{
		"not wanted": {Of: with(Options{}), ID: LVMCluster, State: step.StateOK, Says: []string{"not needed"}},
		"none": {ID: LVMCluster, State: step.StateMissing, Says: []string{"there is no LVMCluster",
			"the Local Storage Operator is not installed", "cannot be migrated live"}},
		"disks not looked for": {Kinds: []kube.Kind{kube.LocalVolumeDiscovery}, ID: LVMCluster, State: step.StateMissing,
			Says: []string{"the nodes' disks are not looked for"}},
		"disks": {Objects: []string{two}, ID: LVMCluster, State: step.StateMissing,
			Says: []string{"2 disks on 2 nodes, 200 GiB in all", "digest sha256:", "cannot be migrated live"}},
		"volumes of others are left": {Objects: []string{two, volume("w1", "sdb", "")}, ID: LVMCluster,
			State: step.StateMissing, Says: []string{"1 disk on 1 node"}},
		"disks that others take are left": {Objects: []string{two, ownVolume("w1, w2", "In")}, ID: LVMCluster,
			State: step.StateBroken, Says: []string{"workers with a disk to take: 0 of the 1 that LVM Storage needs",
				"sdb is to be taken by LocalVolume openshift-local-storage/localblock",
				"hcctl bootstrap --storage lvms --disk-media any"}},
		"hard disks are left": {Objects: []string{hard}, ID: LVMCluster, State: step.StateBroken,
			Says: []string{"0 of the 1", "sdb is a hard disk"}},
		"hard disks need approval": {Objects: []string{hard}, Of: with(anyMedia), ID: LVMCluster, State: step.StateBroken,
			Says: []string{"the disks need approval", "hcctl bootstrap --disk-media any --disks sha256:"}},
		"disks without a by-id name need approval": {Objects: []string{plain}, ID: LVMCluster, State: step.StateBroken,
			Says: []string{"the disks need approval: w1 /dev/sdb: it has no by-id name"}},
		"before 4.14, on two nodes": {Objects: []string{old}, ID: LVMCluster, State: step.StateBroken,
			Says: []string{"w2 has no disk /dev/disk/by-id/wwn-w1-sdb, and LVM Storage wants each disk on every node"}},
		"before 4.14, on one": {Objects: []string{old}, Of: with(one), ID: LVMCluster, State: step.StateMissing,
			Says: []string{"1 disk on 1 node"}},
		"ready": {Objects: []string{lvmGroups("Ready")}, ID: LVMCluster, State: step.StateOK,
			Says: []string{"Ready"}},
		"ready, and it takes what it wants": {Objects: []string{lvmGroups("Ready"), two}, Of: with(grow), ID: LVMCluster,
			State: step.StateOK, Says: []string{"Ready"}},
		"ready, a disk came later": {Objects: []string{ownGroups("w1, w2", "wwn-w1-sdb"), two}, ID: LVMCluster,
			State: step.StateOK,
			Says:  []string{"disks that are not used: w2 /dev/sdb (hcctl bootstrap --storage lvms --grow-storage takes them"}},
		"it is to be added": {Objects: []string{ownGroups("w1, w2", "wwn-w1-sdb"), two}, Of: with(grow), ID: LVMCluster,
			State: step.StateMissing, Says: []string{"1 disk on 1 node, 100 GiB in all, are to be added"}},
		"no other node can be added": {Objects: []string{ownGroups("w1", "wwn-w1-sdb"), two}, Of: with(grow), ID: LVMCluster,
			State: step.StateOK, Says: []string{"Ready"}},
		"progressing": {Objects: []string{lvmGroups("Progressing")}, ID: LVMCluster, State: step.StatePending},
		"no permission": {Refused: prereqtest.Forbidden(lvmResource), ID: LVMCluster,
			Says: []string{"LVMClusters", "not allowed"}},
		"no permission for volumes": {Objects: []string{two}, Refused: prereqtest.Forbidden("persistentvolumes"),
			ID: LVMCluster, Says: []string{"PersistentVolumes", "not allowed"}},

		"have the disks looked for": {Objects: []string{lvmStorage(), localStorage()}, Kinds: []kube.Kind{kube.LVMCluster,
			kube.LocalVolumeDiscovery}, ID: LVMCluster, Change: step.Created,
			Writes: []string{"patch " + discoveryResource + " openshift-local-storage/auto-discover-devices"}},
		"create": {Objects: []string{ready}, Kinds: []kube.Kind{kube.LVMCluster}, ID: LVMCluster,
			Change: step.Created, Writes: []string{makes},
			Sends: []string{`"default":true`, `"name":"vg1"`, `"overprovisionRatio":10`, `"sizePercent":90`,
				`"deviceSelector":{"optionalPaths":["/dev/disk/by-id/wwn-w1-sdb","/dev/disk/by-id/wwn-w2-sdb"]}`,
				`"nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname",` +
					`"operator":"In","values":["w1","w2"]}]}]}`}},
		"create on one node": {Objects: []string{ready}, Kinds: []kube.Kind{kube.LVMCluster}, Of: with(one), ID: LVMCluster,
			Change: step.Created, Writes: []string{makes},
			Sends: []string{`"deviceSelector":{"paths":["/dev/disk/by-id/wwn-w2-sdb"]}`, `"values":["w2"]`}},
		"create by other means than OLM": {Objects: []string{offered, two}, Kinds: []kube.Kind{kube.LVMCluster},
			ID: LVMCluster, Change: step.Created, Writes: []string{makes}, Sends: []string{`"default":true`, `"fstype":"xfs"`}},
		"create without an operator": {Objects: []string{prereqtest.ClusterVersion("4.20.3"), two}, ID: LVMCluster,
			Fails: "LVM Storage: no catalog offers it"},
		"not without approval": {Objects: []string{lvmStorage(), localStorage(), hard}, Of: with(anyMedia),
			Kinds: []kube.Kind{kube.LVMCluster}, ID: LVMCluster, Change: step.Unchanged}, // Check says why
		"add a disk": {Objects: []string{ownGroups("w1, w2", "wwn-w1-sdb"), two}, Of: with(grow), ID: LVMCluster,
			Change: step.Configured, Writes: []string{makes}, Sends: []string{`"resourceVersion":`,
				`"optionalPaths":["/dev/disk/by-id/wwn-w1-sdb","/dev/disk/by-id/wwn-w2-sdb"]`}},
		"add none without being asked to": {Objects: []string{ownGroups("w1, w2", "wwn-w1-sdb"), two}, ID: LVMCluster,
			Change: step.Unchanged},
		"add none to one that selects none": {Objects: []string{lvmGroups("Ready"), two}, Of: with(grow), ID: LVMCluster,
			Change: step.Unchanged},
	})
	if _, err := (Options{Mode: ModeLVM, Disks: disk.Options{Agreed: []string{"class=fast"}}}).Validate(); err == nil {
		t.Error("LVM Storage is to be built on somebody's volumes")
	}
}
