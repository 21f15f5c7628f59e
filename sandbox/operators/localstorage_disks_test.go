package operators

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWantedDevices(t *testing.T) {
	disk := Disk{Path: "/dev/sdb", DeviceID: "/dev/disk/by-id/wwn-1", Size: 500 << 30, Type: "disk", Property: "NonRotational", State: "Available", Model: "MZ7LH480", Vendor: "ATA"}
	with := func(change func(*Disk)) Disk { d := disk; change(&d); return d }
	for _, c := range []struct {
		name      string
		inclusion map[string]any
		disk      Disk
		want      bool
	}{
		{"no wishes", nil, disk, true},
		{"in use", nil, with(func(d *Disk) { d.State = "NotAvailable" }), false},
		{"formatted", nil, with(func(d *Disk) { d.FSType = "xfs" }), false},
		{"partition, only disks by default", nil, with(func(d *Disk) { d.Type = "part" }), false},
		{"partition wanted", map[string]any{"deviceTypes": []any{"part"}}, with(func(d *Disk) { d.Type = "part" }), true},
		{"under the default of 1Gi", nil, with(func(d *Disk) { d.Size = 1<<30 - 1 }), false},
		{"minSize met", map[string]any{"minSize": "500Gi"}, disk, true},
		{"minSize missed", map[string]any{"minSize": "501Gi"}, disk, false},
		{"maxSize missed", map[string]any{"maxSize": "100Gi"}, disk, false},
		{"rotational wanted", map[string]any{"deviceMechanicalProperties": []any{"Rotational"}}, disk, false},
		{"model", map[string]any{"models": []any{"MZ7"}}, disk, true},
		{"vendor", map[string]any{"vendors": []any{"SEAGATE"}}, disk, false},
	} {
		set := untyped(localStorageKind("LocalVolumeSet"))
		set.Object["spec"] = map[string]any{"storageClassName": "localblock"}
		if c.inclusion != nil {
			set.Object["spec"] = map[string]any{"deviceInclusionSpec": c.inclusion}
		}
		w, err := wantedDevices(set)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := w.takes(c.disk); got != c.want {
			t.Errorf("%s: taken: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPlacement(t *testing.T) {
	set := untyped(localStorageKind("LocalVolumeSet"))
	set.Object["spec"] = map[string]any{"nodeSelector": map[string]any{"nodeSelectorTerms": []any{map[string]any{
		"matchExpressions": []any{map[string]any{"key": storageNodeLabel, "operator": "Exists"}},
	}}}}
	p, err := placementOf(set)
	if err != nil {
		t.Fatal(err)
	}
	for want, labels := range map[bool]map[string]string{true: {storageNodeLabel: ""}, false: {"other": ""}} {
		got, err := p.matches(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}})
		if err != nil || got != want {
			t.Errorf("node with %v: %v, %v; want %v", labels, got, err, want)
		}
	}
}

func TestDisksOfNode(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w", Annotations: map[string]string{DisksAnnotation: `[{"path":"/dev/sdb","size":42}]`}}}
	disks, err := disksOf(node)
	if err != nil || len(disks) != 1 || disks[0].Size != 42 || disks[0].Path != "/dev/sdb" {
		t.Errorf("disks %+v, %v", disks, err)
	}
	node.Annotations[DisksAnnotation] = "{"
	if _, err := disksOf(node); err == nil {
		t.Error("a broken annotation must be an error")
	}
}
