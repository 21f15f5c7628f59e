package inject

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/world"
)

// noDisks puts a volume group on each empty disk, as an earlier storage installation would.
func (s *injector) noDisks(ctx context.Context) error {
	return s.changeDisks(ctx, func(_ int, disks []world.Disk) []world.Disk {
		for d := range disks {
			if disks[d].State == "Available" {
				disks[d].State, disks[d].FSType = "NotAvailable", "LVM2_member"
			}
		}
		return disks
	})
}

// mixedDisks adds disks that have to be told apart from the empty ones.
func (s *injector) mixedDisks(ctx context.Context) error { return s.changeDisks(ctx, addMixedDisks) }

// addMixedDisks adds those of the worker with this number: a hard disk, one in a USB enclosure (which is not
// removable to the kernel, so that a LocalVolumeSet takes it), a USB stick, a LUN of the SAN that all workers see,
// the first by two paths and without multipath, a disk with a partition, one of an earlier Ceph, and one that is too
// small. The forms of names and models are those of the vendors.
func addMixedDisks(worker int, disks []world.Disk) []world.Disk {
	const gib, lun = 1 << 30, "600508b400105e210000900000490000"
	id := func(form string) string { return "/dev/disk/by-id/" + fmt.Sprintf(form, worker) }
	added := []world.Disk{
		{Path: "/dev/sdb", DeviceID: id("wwn-0x5000c500b10%05d"), Size: 7452 * gib, Property: "Rotational",
			Model: "ST8000NM000A", Vendor: "ATA", Serial: fmt.Sprintf("WSD0%04d", worker)},
		{Path: "/dev/sdc", DeviceID: id("usb-Samsung_PSSD_T7_S6XPNS0T%06d-0:0"), Size: 931 * gib, Model: "PSSD_T7",
			Vendor: "Samsung", Serial: fmt.Sprintf("S6XPNS0T%06d", worker)},
		{Path: "/dev/sdd", DeviceID: "/dev/disk/by-id/wwn-0x" + lun, Size: 2048 * gib, Model: "HSV210", Vendor: "HP",
			Serial: lun},
		{Path: "/dev/sdf", DeviceID: id("wwn-0x5002538f310%05d"), Size: 894 * gib, Model: "MZ7L3960", Vendor: "ATA",
			Serial: fmt.Sprintf("S664NN0T%06d", worker)},
		{Path: "/dev/sdf1", DeviceID: id("wwn-0x5002538f310%05d-part1"), Size: 893 * gib, Type: "part", FSType: "xfs",
			State: "NotAvailable", Serial: fmt.Sprintf("S664NN0T%06d", worker)},
		{Path: "/dev/sdg", DeviceID: id("wwn-0x5002538f410%05d"), Size: 894 * gib, FSType: "ceph_bluestore",
			State: "NotAvailable", Model: "MZ7L3960", Vendor: "ATA", Serial: fmt.Sprintf("S664NN0U%06d", worker)},
		{Path: "/dev/sdh", DeviceID: id("wwn-0x5002538f510%05d"), Size: gib / 2, Model: "DOM_SATA", Vendor: "ATA",
			Serial: fmt.Sprintf("DOM%06d", worker)},
		{Path: "/dev/sdi", DeviceID: id("usb-SanDisk_Cruzer_Blade_4C5300%08d-0:0"), Size: 29 * gib, Property: "Rotational",
			Model: "Cruzer_Blade", Vendor: "SanDisk", Serial: fmt.Sprintf("4C5300%08d", worker), Removable: true},
	}
	if worker == 0 {
		second := added[2]
		second.Path, second.DeviceID = "/dev/sde", "" // the link leads to one of the paths
		added = slices.Insert(added, 3, second)
	}
	for i := range added {
		d := &added[i]
		d.Type, d.Property, d.State = first(d.Type, "disk"), first(d.Property, "NonRotational"), first(d.State, "Available")
	}
	return append(disks, added...)
}

func first(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// changeDisks changes the disks of the nodes that have empty ones. The nodes are counted from zero.
func (s *injector) changeDisks(ctx context.Context, change func(int, []world.Disk) []world.Disk) error {
	nodes := &corev1.NodeList{}
	if err := s.Client.List(ctx, nodes); err != nil {
		return err
	}
	count := 0
	for i := range nodes.Items {
		node := &nodes.Items[i]
		var disks []world.Disk
		if err := json.Unmarshal([]byte(node.Annotations[world.DisksAnnotation]), &disks); err != nil {
			return fmt.Errorf("node %s: disks: %w", node.Name, err)
		}
		if !slices.ContainsFunc(disks, func(d world.Disk) bool { return d.State == "Available" }) {
			continue
		}
		raw, err := json.Marshal(change(count, disks))
		if err != nil {
			return err
		}
		count++
		patch, err := json.Marshal(
			map[string]any{"metadata": map[string]any{"annotations": map[string]string{world.DisksAnnotation: string(raw)}}})
		if err != nil {
			return err
		}
		if err := s.patch(ctx, node, string(patch)); err != nil {
			return err
		}
	}
	return nil
}
