package storage

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// claim is a PersistentVolumeClaim of a class.
func claim(namespace, name, class string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, namespace: %s}, spec: {storageClassName: %s}}
`, name, namespace, class)
}

func TestRemoveStorageCluster(t *testing.T) {
	own := cephCluster(3, "Ready")
	block := class("ocs-storagecluster-ceph-rbd", cephBlock, "") + class("fast", "x.example", "")
	var many string
	for n := range 13 {
		many += claim("vms", fmt.Sprint("disk-", n), "ocs-storagecluster-ceph-rbd")
	}
	system := `
---
{apiVersion: odf.openshift.io/v1alpha1, kind: StorageSystem, metadata: {namespace: openshift-storage,
  name: ocs-storagecluster-storagesystem, labels: {app.kubernetes.io/managed-by: hcctl}%s}}
`
	client := func(phase string) string {
		return fmt.Sprintf(`
---
{apiVersion: ocs.openshift.io/v1alpha1, kind: StorageClient, metadata: {name: ocs-storagecluster}, status: {phase: %s}}
---
{apiVersion: ocs.openshift.io/v1alpha1, kind: StorageConsumer, metadata: {name: internal, namespace: openshift-storage}}
`, phase)
	}
	volume := func(name, phase, policy, profile string) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s}, spec: {persistentVolumeReclaimPolicy: %s, csi: {
  driver: openshift-storage.rbd.csi.ceph.com, volumeHandle: x, volumeAttributes: {clusterID: %s}}}, status: {phase: %s}}
`, name, policy, cmp.Or(profile, "openshift-storage"), phase)
	}
	going := strings.Replace(own, "labels: {", `deletionTimestamp: "2026-01-01T00:00:00Z",
  finalizers: [storagecluster.ocs.openshift.io], labels: {`, 1)
	const patch = "patch " + clustersResource + " openshift-storage/ocs-storagecluster"
	const remove = "delete " + clustersResource + " openshift-storage/ocs-storagecluster"
	modes := `{"metadata":{"resourceVersion":"2","annotations":{"uninstall.ocs.openshift.io/mode":"graceful",` +
		`"uninstall.ocs.openshift.io/cleanup-policy":"delete"}}}`
	run(t, map[string]prereqtest.Case{
		"none": {ID: removeStorageCluster, State: step.StateOK, Says: []string{"there is none"}},
		"there": {Objects: []string{own, block, ofNooBaa(claim(operatorsNamespace, "db-noobaa", "ocs-storagecluster-ceph-rbd")),
			claim("vms", "disk", "fast")}, ID: removeStorageCluster, State: step.StateMissing,
			Says: []string{"created by hcctl and still there (all data on it is lost)"}},
		"claimed": {Objects: []string{own, block, claim("vms", "disk", "ocs-storagecluster-ceph-rbd")},
			ID: removeStorageCluster, State: step.StateBroken,
			Says: []string{"1 PersistentVolumeClaim on it: vms/disk", "oc get pvc -A"}},
		"claimed by somebody in its own namespace": {Objects: []string{own, block,
			claim(operatorsNamespace, "mine", "ocs-storagecluster-ceph-rbd")}, ID: removeStorageCluster,
			State: step.StateBroken, Says: []string{"1 PersistentVolumeClaim on it: openshift-storage/mine"}},
		"claimed by many": {Objects: []string{own, block, many}, ID: removeStorageCluster, State: step.StateBroken,
			Says: []string{"13 PersistentVolumeClaims", "vms/disk-8 and 1 more"}},
		"kept volumes, which its client waits for": {Objects: []string{own, client("Connected"),
			volume("pv-kept", "Released", "Retain", ""), volume("pv-goes", "Released", "Delete", "")},
			ID: removeStorageCluster, State: step.StateBroken, Says: []string{"its StorageClient would wait for them: " +
				"PersistentVolume pv-kept", "oc patch pv NAME"}},
		"volumes of others": {Objects: []string{own, client("Connected"),
			volume("pv-other", "Released", "Retain", "rook-ceph"), volume("pv-used", "Bound", "Retain", "")},
			ID: removeStorageCluster, State: step.StateMissing},
		"kept volumes before 4.19": {Objects: []string{own, volume("pv-kept", "Released", "Retain", "")},
			ID: removeStorageCluster, State: step.StateMissing},
		"volumes not to be read": {Objects: []string{own, client("Connected")},
			Refused: prereqtest.Forbidden("persistentvolumes"), ID: removeStorageCluster,
			Says: []string{"PersistentVolumes", "not allowed"}},
		"goes": {Objects: []string{going}, ID: removeStorageCluster, State: step.StatePending,
			Says: []string{"being deleted, Ready; finalizers: storagecluster.ocs.openshift.io"}},
		"waits for its client": {Objects: []string{going, client("Offboarding")}, ID: removeStorageCluster,
			State: step.StatePending,
			Says:  []string{"it waits for StorageClient ocs-storagecluster (Offboarding); finalizers"}},
		"waits for volumes": {Objects: []string{going, client("Offboarding"),
			volume("pv-kept", "Released", "Retain", "")}, ID: removeStorageCluster, State: step.StatePending,
			Says: []string{"(Offboarding), which waits until these are gone: PersistentVolume pv-kept; finalizers"}},
		"classes not to be read": {Objects: []string{own}, Refused: prereqtest.Forbidden(classesResource),
			ID: removeStorageCluster, Says: []string{"StorageClasses", "not allowed"}},
		"claims not to be read": {Objects: []string{own}, Refused: prereqtest.Forbidden("persistentvolumeclaims"),
			ID: removeStorageCluster, Says: []string{"PersistentVolumeClaims", "not allowed"}},
		"delete": {Objects: []string{own}, ID: removeStorageCluster, Change: step.Deleted, Writes: []string{patch, remove},
			Sends: []string{modes}},
		"delete with its system": {Objects: []string{own, fmt.Sprintf(system, "")}, ID: removeStorageCluster,
			Change: step.Deleted, Writes: []string{patch,
				"delete storagesystems.odf.openshift.io openshift-storage/ocs-storagecluster-storagesystem", remove}},
		"its system goes already": {Objects: []string{own,
			fmt.Sprintf(system, `, finalizers: [a], deletionTimestamp: "2026-01-01T00:00:00Z"`)},
			ID: removeStorageCluster, Change: step.Deleted, Writes: []string{patch, remove}},
		"its system is not to be read": {Objects: []string{own},
			Refused: prereqtest.Forbidden("storagesystems.odf.openshift.io"),
			ID:      removeStorageCluster, Fails: "Forbidden", Writes: []string{patch}},
		"its mode is not to be written": {Objects: []string{own}, Refused: prereqtest.Forbidden("patch " + clustersResource),
			ID: removeStorageCluster, Fails: "StorageCluster openshift-storage/ocs-storagecluster", Writes: []string{patch}},
	})
}

// ofNooBaa is a claim of the Multicloud Object Gateway.
func ofNooBaa(claim string) string {
	return strings.Replace(claim, "metadata: {", "metadata: {labels: {app: noobaa}, ", 1)
}

// bound is a claim that has got a volume, and names no class.
func bound(namespace, name, volume, metadata string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, namespace: %s, %s},
  spec: {storageClassName: "", volumeName: %s}, status: {phase: Bound}}
`, name, namespace, metadata, volume)
}

// madeBy is a volume of hcctl's LocalVolume or LocalVolumeSet, or of a CSI driver; spec is more YAML.
func madeBy(kind, name, phase, spec string) string {
	labels := ""
	if strings.HasPrefix(kind, "Local") {
		labels = fmt.Sprintf(`storage.openshift.com/owner-kind: %s, storage.openshift.com/owner-name: localblock,
    storage.openshift.com/owner-namespace: openshift-local-storage`, kind)
	} else {
		spec += fmt.Sprintf(", csi: {driver: %s, volumeHandle: x}", kind)
	}
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: %s, labels: {%s}, finalizers: [kubernetes.io/pv-protection]},
  spec: {persistentVolumeReclaimPolicy: Delete%s}, status: {phase: %s}}
`, name, labels, spec, phase)
}

// TestNothingOfStorageGoesFromUnderAClaim has a claim use a volume of each kind of storage: neither it nor anything
// else of storage is removed, and the claim is named; while it goes already, too.
func TestNothingOfStorageGoesFromUnderAClaim(t *testing.T) {
	const mine = "default/mine"
	going := func(object string) string {
		return strings.Replace(object, "metadata: {", `metadata: {deletionTimestamp: "2026-01-01T00:00:00Z",
  finalizers: [storage.openshift.com/local-volume-protection], `, 1)
	}
	for name, tc := range map[string]struct {
		object, volume, class string
		id                    step.ID
	}{
		"LocalVolume": {ownVolume("w1", "In"), madeBy("LocalVolume", "pv-1", "Bound", ""),
			class("localblock", noProvisioner, ""), removeLocalVolumes},
		"LocalVolumeSet": {volumeSet, madeBy("LocalVolumeSet", "pv-1", "Bound", ""), class("localblock", noProvisioner, ""),
			removeLocalVolumes},
		"StorageCluster": {cephCluster(3, "Ready"), madeBy(cephBlock, "pv-1", "Bound", ""), class("pool-of-mine", cephBlock, ""),
			removeStorageCluster},
		"LVMCluster": {lvmGroups("Ready"), madeBy(lvmDriver, "pv-1", "Bound", ""), class("lvms-vg1", lvmDriver, ""),
			removeLVMCluster},
	} {
		t.Run(name, func(t *testing.T) {
			uses := bound("default", "mine", "pv-1", "")
			waits := claim("default", "mine", nameIn(tc.class))
			free := strings.Replace(tc.volume, "Bound", "Available", 1)
			says := []string{name + " ", "1 PersistentVolumeClaim on it: " + mine, "oc get pvc -A"}
			run(t, map[string]prereqtest.Case{
				"used":              {Objects: []string{tc.object, tc.volume, uses}, ID: tc.id, State: step.StateBroken, Says: says},
				"used, the gate":    {Objects: []string{tc.object, tc.volume, uses}, ID: removeClaims, State: step.StateBroken, Says: says},
				"asked for":         {Objects: []string{tc.object, tc.class, waits}, ID: tc.id, State: step.StateBroken, Says: says},
				"since the check":   {Objects: []string{tc.object, tc.volume, uses}, ID: tc.id, Change: step.Unchanged},
				"used, going":       {Objects: []string{going(tc.object), tc.volume, uses}, ID: tc.id, State: step.StatePending, Says: []string{"it is used by PersistentVolumeClaim " + mine}},
				"used, going, gate": {Objects: []string{going(tc.object), tc.volume, uses}, ID: removeClaims, State: step.StateBroken, Says: says},
				"used by others of others": {Objects: []string{tc.object, tc.class, claim("default", "mine", "fast"),
					bound("default", "other", "pv-2", ""), madeBy("csi.example.com", "pv-2", "Bound", "")}, ID: removeClaims,
					State: step.StateOK, Says: []string{"none"}},
				"free": {Objects: []string{tc.object, tc.class, free}, ID: tc.id, State: step.StateMissing,
					Says: []string{"all data on it is lost"}},
				"claims not to be read": {Objects: []string{tc.object}, Refused: prereqtest.Forbidden("persistentvolumeclaims"),
					ID: tc.id, Says: []string{"PersistentVolumeClaims", "not allowed"}},
			})
		})
	}
	local, ceph := ownVolume("w1", "In"), cephCluster(3, "Ready")
	disk := `labels: {ceph.rook.io/DeviceSet: ocs-deviceset-localblock}`
	osd := madeBy("LocalVolume", "pv-1", "Bound", "") + bound(operatorsNamespace, "osd", "pv-1", disk)
	kept := strings.Replace(madeBy("LocalVolume", "pv-1", "Released", ""), "Policy: Delete", "Policy: Retain", 1)
	cleaned := strings.Replace(madeBy("LocalVolume", "pv-1", "Released", ""), "finalizers: [kubernetes.io/pv-protection]",
		`deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [storage.openshift.com/lso-symlink-deleter]`, 1)
	run(t, map[string]prereqtest.Case{
		"nothing": {ID: removeClaims, State: step.StateOK, Says: []string{"none"}},
		"disks of the StorageCluster that goes, too": {Objects: []string{local, ceph, osd}, ID: removeClaims,
			State: step.StateOK},
		"disks of somebody's StorageCluster": {Objects: []string{local, foreignCeph, osd}, ID: removeClaims,
			State: step.StateBroken, Says: []string{"LocalVolume", "1 PersistentVolumeClaim on it: openshift-storage/osd"}},
		"disks of a StorageCluster that is gone": {Objects: []string{local, osd}, ID: removeLocalVolumes,
			State: step.StatePending, Says: []string{"of Data Foundation, which is gone, not gone yet: openshift-storage/osd"}},
		"claims of two": {Objects: []string{local, ceph, madeBy("LocalVolume", "pv-1", "Bound", ""),
			bound("default", "mine", "pv-1", ""), madeBy(cephBlock, "pv-2", "Bound", ""), bound("vms", "disk", "pv-2", "")},
			ID: removeClaims, State: step.StateBroken, Says: []string{"StorageCluster openshift-storage/ocs-storagecluster",
				"1 PersistentVolumeClaim on it: vms/disk; LocalVolume openshift-local-storage/localblock: 1 " +
					"PersistentVolumeClaim on it: default/mine"}},
		"a claim in the namespace of LVM Storage": {Objects: []string{lvmGroups("Ready"), class("lvms-vg1", lvmDriver, ""),
			claim("openshift-lvm-storage", "mine", "lvms-vg1")}, ID: removeLVMCluster, State: step.StateBroken,
			Says: []string{"1 PersistentVolumeClaim on it: openshift-lvm-storage/mine"}},
		"a volume that is kept": {Objects: []string{local, kept}, ID: removeLocalVolumes, State: step.StateBroken,
			Says: []string{"kept without a claim (reclaim policy Retain)", "PersistentVolume pv-1 (", "oc patch pv NAME"}},
		"a volume that is being cleaned": {Objects: []string{going(local), cleaned}, ID: removeLocalVolumes,
			State: step.StatePending, Says: []string{"its operator waits for PersistentVolume pv-1 (Released, being deleted; " +
				"finalizers: storage.openshift.com/lso-symlink-deleter); finalizers: storage.openshift.com/local-volume"}},
		"volumes not to be read": {Objects: []string{local}, Refused: prereqtest.Forbidden("persistentvolumes"),
			ID: removeClaims, Says: []string{"PersistentVolumes", "not allowed"}},
		"sets not to be read": {Refused: prereqtest.Forbidden(setsResource), ID: removeClaims,
			Says: []string{"LocalVolumeSets", "not allowed"}},
	})
}

// nameIn is the name in an object's YAML.
func nameIn(object string) string {
	_, rest, _ := strings.Cut(object, "name: ")
	name, _, _ := strings.Cut(rest, ",")
	return name
}

func TestRemoveLVMCluster(t *testing.T) {
	claimed := class("lvms-vg1", "topolvm.io", "") + claim("vms", "disk", "lvms-vg1")
	run(t, map[string]prereqtest.Case{
		"there": {Objects: []string{lvmGroups("Ready")}, ID: removeLVMCluster, State: step.StateMissing,
			Says: []string{"all data on it is lost"}},
		"claimed": {Objects: []string{lvmGroups("Ready"), claimed}, ID: removeLVMCluster, State: step.StateBroken,
			Says: []string{"1 PersistentVolumeClaim on it: vms/disk"}},
		"delete": {Objects: []string{lvmGroups("Ready")}, ID: removeLVMCluster, Change: step.Deleted,
			Writes: []string{"delete " + lvmResource + " openshift-lvm-storage/lvmcluster"}},
	})
}

// managed are managed fields of a manager; fields is their JSON.
func managed(manager, fields string) string {
	return fmt.Sprintf(`managedFields: [{manager: %s, operation: Update, fieldsType: FieldsV1, fieldsV1: %s}]`,
		manager, fields)
}

// labelledBy is a node whose storage label has that manager.
func labelledBy(name, manager string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {cluster.ocs.openshift.io/openshift-storage: ""}, %s}}
`, name, managed(manager, `{"f:metadata": {"f:labels": {"f:cluster.ocs.openshift.io/openshift-storage": {}}}}`))
}

// TestRemoveLocalVolumesThatVanish has an object go while the check runs: the step goes on to the labels of the nodes.
func TestRemoveLocalVolumesThatVanish(t *testing.T) {
	for _, tc := range []struct {
		kind         kube.Kind
		name, object string
	}{
		{kube.LocalVolume, localClass, ownVolume("w1", "In")},
		{kube.LocalVolumeSet, localClass, volumeSet},
		{kube.LocalVolumeDiscovery, discoveryName, discovery},
	} {
		t.Run(tc.kind.Kind, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.object, labelledBy("w1", kube.FieldOwner))
			r := api.Vanishing(t, tc.kind, "openshift-local-storage", tc.name)
			if f := (localRemoval{}).check(t.Context(), r); f.State == step.StateOK {
				t.Errorf("%s: %s, although a node has the label of hcctl", f.Object, f.Message)
			}
			steptest.Expect(t, (localRemoval{}).check(t.Context(), r), step.StateMissing, "Node w1", "hcctl set its label")
		})
	}
}

func TestRemoveLocalVolumes(t *testing.T) {
	ours, theirs := labelledBy("w1", "hcctl"), labelledBy("w2", "kubectl")
	run(t, map[string]prereqtest.Case{
		"nothing": {ID: removeLocalVolumes, State: step.StateOK, Says: []string{"there is none"}},
		"set": {Objects: []string{volumeSet, discovery, ours}, ID: removeLocalVolumes, State: step.StateMissing,
			Says: []string{"LocalVolumeSet openshift-local-storage/localblock", "all data on it is lost"}},
		"hcctl's LocalVolume": {Objects: []string{ownVolume("w1", "In"), discovery, ours}, ID: removeLocalVolumes,
			State: step.StateMissing,
			Says:  []string{"LocalVolume openshift-local-storage/localblock", "all data on it is lost"}},
		"discovery": {Objects: []string{discovery, ours}, ID: removeLocalVolumes, State: step.StateMissing,
			Says: []string{"LocalVolumeDiscovery openshift-local-storage/auto-discover-devices"}},
		"labels": {Objects: []string{theirs, ours}, ID: removeLocalVolumes, State: step.StateMissing,
			Says: []string{"Node w1", "hcctl set its label"}},
		"labels of others": {Objects: []string{theirs}, ID: removeLocalVolumes, State: step.StateOK},
		"sets not to be read": {Refused: prereqtest.Forbidden(setsResource), ID: removeLocalVolumes,
			Says: []string{"LocalVolumeSets", "not allowed"}},
		"nodes not to be read": {Refused: prereqtest.Forbidden("nodes"), ID: removeLocalVolumes,
			Says: []string{"Nodes", "not allowed"}},

		"delete the set first": {Objects: []string{volumeSet, discovery, ours}, ID: removeLocalVolumes, Change: step.Deleted,
			Writes: []string{"delete " + setsResource + " openshift-local-storage/localblock"}},
		"delete the LocalVolume first": {Objects: []string{ownVolume("w1", "In"), discovery, ours}, ID: removeLocalVolumes,
			Change: step.Deleted,
			Writes: []string{"delete localvolumes.local.storage.openshift.io openshift-local-storage/localblock"}},
		"somebody's LocalVolume stays": {Objects: []string{localVolume, theirs}, ID: removeLocalVolumes,
			Change: step.Unchanged},
		"then the discovery": {Objects: []string{discovery, ours}, ID: removeLocalVolumes, Change: step.Deleted,
			Writes: []string{"delete " + discoveryResource + " openshift-local-storage/auto-discover-devices"}},
		"then the labels": {Objects: []string{theirs, ours}, ID: removeLocalVolumes, Change: step.Configured,
			Writes: []string{"patch nodes w1"},
			Sends:  []string{`{"metadata":{"labels":{"cluster.ocs.openshift.io/openshift-storage":null}}}`}},
		"nothing to do": {Objects: []string{theirs}, ID: removeLocalVolumes, Change: step.Unchanged},
		"delete: sets not to be read": {Refused: prereqtest.Forbidden(setsResource), ID: removeLocalVolumes,
			Fails: "Forbidden"},
		"delete: nodes not to be read": {Refused: prereqtest.Forbidden("nodes"), ID: removeLocalVolumes, Fails: "Forbidden"},
		"label not to be removed": {Objects: []string{ours}, Refused: prereqtest.Forbidden("patch nodes"),
			ID:    removeLocalVolumes,
			Fails: "Node w1", Writes: []string{"patch nodes w1"}},
	})
}

func TestRemoveDefaultMark(t *testing.T) {
	mark := func(name, value, manager string) string {
		return fmt.Sprintf(`
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: x.example, metadata: {name: %s,
  annotations: {storageclass.kubernetes.io/is-default-class: %q}, %s}}
`, name, value, managed(manager,
			`{"f:metadata": {"f:annotations": {"f:storageclass.kubernetes.io/is-default-class": {}}}}`))
	}
	const patch = "patch " + classesResource + " "
	run(t, map[string]prereqtest.Case{
		"none":      {ID: removeDefaultMark, State: step.StateOK, Says: []string{"hcctl marked none"}},
		"of others": {Objects: []string{mark("a", "true", "kubectl")}, ID: removeDefaultMark, State: step.StateOK},
		"own": {Objects: []string{mark("a", "true", "kubectl"), mark("b", "true", kube.FieldOwner)}, ID: removeDefaultMark,
			State: step.StateMissing, Says: []string{"StorageClass b", `is-default-class to "true"`}},
		"not to be read": {Refused: prereqtest.Forbidden(classesResource), ID: removeDefaultMark,
			Says: []string{"StorageClasses", "not allowed"}},
		"take it off": {Objects: []string{mark("a", "true", kube.FieldOwner)}, ID: removeDefaultMark,
			Change: step.Configured, Writes: []string{patch + "a"}, Sends: []string{`is-default-class":null`}},
		"put it back": {Objects: []string{mark("a", "false", kube.FieldOwner)}, ID: removeDefaultMark,
			Change: step.Configured, Writes: []string{patch + "a"}, Sends: []string{`is-default-class":"true"`}},
		"nothing to do":         {ID: removeDefaultMark, Change: step.Unchanged},
		"apply: not to be read": {Refused: prereqtest.Forbidden(classesResource), ID: removeDefaultMark, Fails: "Forbidden"},
		"not to be put back": {Objects: []string{mark("a", "false", kube.FieldOwner)},
			Refused: prereqtest.Forbidden("patch " + classesResource), ID: removeDefaultMark, Fails: "StorageClass a",
			Writes: []string{patch + "a"}},
	})
}
