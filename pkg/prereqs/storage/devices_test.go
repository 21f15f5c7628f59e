package storage

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// clusterOf is a StorageCluster with one device set.
func clusterOf(count, replica int64, mine bool) *unstructured.Unstructured {
	sc := newStorageCluster("ns", localClass, spread{flexible: replica == 1, count: count, replica: replica})
	if mine {
		sc.SetLabels(map[string]string{kube.ManagedByLabel: kube.FieldOwner})
	}
	return sc
}

// volumesOf are volumes of the class localblock, apart from one of another class and one of another namespace.
func volumesOf(free, claimed, released int) []localDisk {
	all := []localDisk{{class: "other"}, {class: localClass, claim: "elsewhere"}}
	for i := range free {
		all = append(all, localDisk{class: localClass, host: fmt.Sprintf("host-%d", i)})
	}
	for i := range claimed {
		all = append(all, localDisk{class: localClass, host: fmt.Sprintf("host-%d", i), claim: "ns"})
	}
	for range released {
		all = append(all, localDisk{class: localClass, claim: "ns", released: true})
	}
	return all
}

func TestJudgeDevices(t *testing.T) {
	threeZones := nodeZones{hosts: map[string]string{"host-0": "a", "host-1": "b", "host-2": "c"}}
	two := clusterOf(3, 1, true)
	spec := two.Object["spec"].(map[string]any)
	spec["storageDeviceSets"] = append(spec["storageDeviceSets"].([]any), map[string]any{"name": "second"})
	ready := step.OK("Ready").On("StorageCluster ns/x")
	for name, tc := range map[string]struct {
		d    devices
		want step.State
		says string
	}{
		"all in use": {devices{cluster: clusterOf(3, 1, true), volumes: volumesOf(0, 3, 0)}, step.StateOK, "Ready"},
		"disks were added": {devices{cluster: clusterOf(3, 1, true), volumes: volumesOf(2, 3, 0)}, step.StateOK,
			"does not use: 2 (hcctl bootstrap --grow-storage adds them)"},
		"disks were added, and are wanted": {devices{cluster: clusterOf(3, 1, true), volumes: volumesOf(2, 3, 0), grow: true},
			step.StateMissing, "can have count 5"},
		"they are being taken": {devices{cluster: clusterOf(5, 1, true), volumes: volumesOf(2, 3, 0), grow: true},
			step.StatePending, "3 of the 5 disks"},
		"a disk was replaced": {devices{cluster: clusterOf(3, 1, true), volumes: volumesOf(0, 3, 1), grow: true},
			step.StateOK, "Ready"},
		"a disk is being replaced": {devices{cluster: clusterOf(3, 1, true), volumes: volumesOf(1, 2, 1)}, step.StateOK,
			"Ready"},
		"somebody else's": {devices{cluster: clusterOf(3, 1, false), volumes: volumesOf(2, 3, 0), grow: true}, step.StateOK,
			"free volumes of class localblock that its device set (count 3, replica 1) does not use: 2"},
		"over zones": {devices{cluster: clusterOf(1, 3, true), volumes: volumesOf(3, 3, 0), grow: true, zones: threeZones},
			step.StateMissing, "can have count 2"},
		"over zones, in one of them": {devices{cluster: clusterOf(1, 3, true), volumes: volumesOf(1, 3, 0), grow: true,
			zones: threeZones}, step.StateOK, "does not use: 1"},
		"two device sets": {devices{cluster: two, volumes: volumesOf(2, 3, 0), grow: true}, step.StateOK, "Ready"},
	} {
		t.Run(name, func(t *testing.T) {
			f := tc.d.judge(ready)
			prereqtest.Expect(t, f, tc.want, tc.says)
			if tc.says == "Ready" && f.Message != "Ready" {
				t.Errorf("it says %q", f.Message)
			}
		})
	}
}

func TestNewLocalDisk(t *testing.T) {
	claimed := corev1.PersistentVolumeSpec{ClaimRef: &corev1.ObjectReference{Namespace: "ns"}}
	for phase, want := range map[corev1.PersistentVolumePhase]struct{ free, claimed bool }{
		corev1.VolumeBound: {false, true}, corev1.VolumeReleased: {}, corev1.VolumeFailed: {}, "": {false, true},
	} {
		disk := newLocalDisk(&corev1.PersistentVolume{Spec: claimed, Status: corev1.PersistentVolumeStatus{Phase: phase}})
		if disk.free() != want.free || disk.claimedIn("ns") != want.claimed {
			t.Errorf("%s: free %t, claimed %t, want %+v", phase, disk.free(), disk.claimedIn("ns"), want)
		}
	}
	for mode, want := range map[corev1.PersistentVolumeMode]bool{corev1.PersistentVolumeBlock: true,
		corev1.PersistentVolumeFilesystem: false} {
		disk := newLocalDisk(&corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{VolumeMode: &mode}})
		if disk.free() != want {
			t.Errorf("%s, without a claim: free %t", mode, disk.free())
		}
	}
	if newLocalDisk(&corev1.PersistentVolume{}).free() {
		t.Error("a volume without a mode has a file system, and a claim of a raw disk cannot have it")
	}
}

func TestSpread(t *testing.T) {
	node := func(name, zone string, labels ...string) corev1.Node {
		n := storageNode(name, labels...)
		if zone != "" {
			n.Labels[corev1.LabelTopologyZone] = zone
		}
		return n
	}
	disks := func(nodes ...string) []localDisk {
		var out []localDisk
		for _, name := range nodes {
			out = append(out, localDisk{class: localClass, host: "host-" + name})
		}
		return out
	}
	three := []corev1.Node{node("a", "z1"), node("b", "z2"), node("c", "z3"), node("d", "z3")}
	for name, tc := range map[string]struct {
		nodes []corev1.Node
		disks []localDisk
		want  spread
	}{
		"no zones": {[]corev1.Node{node("a", ""), node("b", ""), node("c", "")}, disks("a", "b", "c", "c"),
			spread{flexible: true, count: 4, replica: 1}},
		"two zones": {[]corev1.Node{node("a", "z1"), node("b", "z2"), node("c", "z2")}, disks("a", "b", "c"),
			spread{flexible: true, count: 3, replica: 1}},
		"three zones":               {three, disks("a", "b", "c"), spread{count: 1, replica: 3}},
		"the smallest decides":      {three, disks("a", "a", "b", "b", "c", "d", "d"), spread{count: 2, replica: 3}},
		"three zones, disks in two": {three, disks("a", "b", "b"), spread{flexible: true, count: 3, replica: 1}},
		"a zone of storage nodes without disks": {append(three, node("e", "z4", storageLabel)), disks("a", "b", "c"),
			spread{flexible: true, count: 3, replica: 1}},
	} {
		if got := zonesOf(tc.nodes).spread(tc.disks); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}
