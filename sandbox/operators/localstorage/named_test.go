package localstorage

import (
	"context"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/disks"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func storageOf(openShift string, objects ...client.Object) *localStorage {
	c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).Build()
	return &localStorage{framework.NewRun(nil, operator.Env{Client: c, Profile: profile.Profile{OpenShift: openShift}})}
}

// A LocalVolume takes the disks it names, by path or link; a disk without a link has no annotation for it.
func TestNamedVolumes(t *testing.T) {
	raw, err := json.Marshal([]disks.Disk{
		{Path: "/dev/sdb", DeviceID: "/dev/disk/by-id/wwn-1", Type: "disk", State: "Available", Size: 1 << 40},
		{Path: "/dev/vdc", Type: "disk", State: "Available", Size: 1 << 40},
		{Path: "/dev/vdd", Type: "disk", State: "NotAvailable", Size: 1 << 40},
		{Path: "/dev/vde", Type: "disk", State: "Available", Size: 1 << 40},
		{Path: "/dev/vdf", Type: "disk", State: "NotAvailable", FSType: "xfs", Size: 1 << 40},
		{Path: "/dev/vdg", Type: "disk", State: "Available", Size: 1 << 40},
		{Path: "/dev/vdg1", Type: "part", State: "Available", Size: 1 << 40},
	})
	if err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w",
		Annotations: map[string]string{disks.DisksAnnotation: string(raw)}}}
	s := storageOf("4.20.1", node)
	lv := framework.Unstructured(localStorageKind("LocalVolume"))
	lv.SetNamespace("openshift-local-storage")
	lv.SetName("local-disks")
	classes := []namedDevices{{StorageClassName: "localblock", VolumeMode: corev1.PersistentVolumeBlock,
		DevicePaths: []string{"/dev/disk/by-id/wwn-1", "/dev/vdc", "/dev/vdd",
			"/dev/vdf", "/dev/vdg"}}}
	for range 2 { // the second time nothing is made twice
		if err := s.namedVolumes(context.Background(), lv, disks.Placement{}, classes); err != nil {
			t.Fatal(err)
		}
	}
	made, err := s.volumesOf(context.Background(), lv)
	if err != nil || len(made) != 3 {
		t.Fatalf("%d volumes, %v", len(made), err)
	}
	links := map[string]string{}
	for _, pv := range made {
		links[pv.Annotations[disks.DeviceAnnotation]] = pv.Annotations["storage.openshift.com/device-id"]
		if pv.Labels[ownerKindLabel] != "LocalVolume" {
			t.Errorf("labels %v", pv.Labels)
		}
	}
	_, written := links["vdf"] // data on it is nothing to the operator
	if links["sdb"] != "wwn-1" || links["vdc"] != "" || !written {
		t.Errorf("links: %v", links)
	}
}

// A volume that no claim has goes in the steps of the real operator; one that a claim has, or that is kept, holds the
// LocalVolume.
func TestVolumesAreReleasedAndCleaned(t *testing.T) {
	ctx := context.Background()
	lv := framework.Unstructured(localStorageKind("LocalVolume"))
	lv.SetNamespace("openshift-local-storage")
	lv.SetName("local-disks")
	s := storageOf("4.20.1")
	add := func(device string, phase corev1.PersistentVolumePhase, policy corev1.PersistentVolumeReclaimPolicy) {
		pv := s.localVolume(lv, "localblock", corev1.PersistentVolumeBlock, "w", disks.Disk{Path: "/dev/" + device})
		pv.Name, pv.Spec.PersistentVolumeReclaimPolicy, pv.Status.Phase = device, policy, phase
		if err := s.Client.Create(ctx, pv); err != nil {
			t.Fatal(err)
		}
	}
	add("free", corev1.VolumeAvailable, corev1.PersistentVolumeReclaimDelete)
	add("claimed", corev1.VolumeBound, corev1.PersistentVolumeReclaimDelete)
	add("kept", corev1.VolumeAvailable, corev1.PersistentVolumeReclaimRetain)
	if left, err := s.release(ctx, lv); err != nil || !left {
		t.Fatalf("left: %t, %v", left, err)
	}
	free := &corev1.PersistentVolume{}
	if err := s.Client.Get(ctx, client.ObjectKey{Name: "free"}, free); err != nil || free.Spec.ClaimRef == nil ||
		len(free.Finalizers) != 1 {
		t.Fatalf("claim %v, finalizers %v, %v", free.Spec.ClaimRef, free.Finalizers, err)
	}
	free.Status.Phase = corev1.VolumeReleased // by the controller of volumes
	if err := s.Client.Status().Update(ctx, free); err != nil {
		t.Fatal(err)
	}
	if left, err := s.release(ctx, lv); err != nil || !left {
		t.Fatalf("left: %t, %v", left, err)
	}
	volumes, err := s.volumesOf(ctx, lv)
	if err != nil || len(volumes) != 2 || volumes[0].Name != "claimed" || volumes[1].Name != "kept" ||
		volumes[1].Spec.ClaimRef != nil {
		t.Errorf("volumes %v, %v", volumes, err)
	}
}

func TestTheClassOfASetByVersion(t *testing.T) {
	for openShift, want := range map[string]string{"4.18.9": "", "4.19.1": "LocalVolumeSet"} {
		s := storageOf(openShift)
		set := framework.Unstructured(localStorageKind("LocalVolumeSet"))
		set.SetName("localblock")
		if err := s.ensureClass(context.Background(), set, "localblock"); err != nil {
			t.Fatal(err)
		}
		class := &storagev1.StorageClass{}
		if err := s.Client.Get(context.Background(), client.ObjectKey{Name: "localblock"}, class); err != nil {
			t.Fatal(err)
		}
		if got := class.Labels["local.storage.openshift.io/owner-kind"]; got != want {
			t.Errorf("%s: owner-kind %q, want %q", openShift, got, want)
		}
	}
}
