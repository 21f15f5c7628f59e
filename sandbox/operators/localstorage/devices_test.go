package localstorage

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/operators/internal/disks"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

func TestWantedDevices(t *testing.T) {
	disk := disks.Disk{Path: "/dev/sdb", DeviceID: "/dev/disk/by-id/wwn-1", Size: 500 << 30, Type: "disk",
		Property: "NonRotational", State: "Available", Model: "MZ7LH480", Vendor: "ATA"}
	with := func(change func(*disks.Disk)) disks.Disk { d := disk; change(&d); return d }
	for _, c := range []struct {
		name      string
		inclusion map[string]any
		disk      disks.Disk
		want      bool
	}{
		{"no wishes", nil, disk, true},
		{"in use", nil, with(func(d *disks.Disk) { d.State = "NotAvailable" }), false},
		{"formatted", nil, with(func(d *disks.Disk) { d.FSType = "xfs" }), false},
		{"partition, only disks by default", nil, with(func(d *disks.Disk) { d.Type = "part" }), false},
		{"partition wanted", map[string]any{"deviceTypes": []any{"part"}}, with(func(d *disks.Disk) { d.Type = "part" }),
			true},
		{"under the default of 1Gi", nil, with(func(d *disks.Disk) { d.Size = 1<<30 - 1 }), false},
		{"minSize met", map[string]any{"minSize": "500Gi"}, disk, true},
		{"minSize missed", map[string]any{"minSize": "501Gi"}, disk, false},
		{"maxSize missed", map[string]any{"maxSize": "100Gi"}, disk, false},
		{"rotational wanted", map[string]any{"deviceMechanicalProperties": []any{"Rotational"}}, disk, false},
		{"model", map[string]any{"models": []any{"MZ7"}}, disk, true},
		{"model in other letters", map[string]any{"models": []any{"mz7lh"}}, disk, true},
		{"type in other letters", map[string]any{"deviceTypes": []any{"Disk"}}, disk, true},
		{"removable", nil, with(func(d *disks.Disk) { d.Removable = true }), false},
		{"vendor", map[string]any{"vendors": []any{"SEAGATE"}}, disk, false},
	} {
		set := framework.Unstructured(localStorageKind("LocalVolumeSet"))
		set.Object["spec"] = map[string]any{"storageClassName": "localblock"}
		if c.inclusion != nil {
			set.Object["spec"] = map[string]any{"deviceInclusionSpec": c.inclusion}
		}
		w, err := wantedDevices(set)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if w.mode != corev1.PersistentVolumeFilesystem {
			t.Errorf("%s: the mode of a set that says none is %s", c.name, w.mode)
		}
		if got := w.matches(c.disk); got != c.want {
			t.Errorf("%s: taken: %v, want %v", c.name, got, c.want)
		}
	}
}
