package storage

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// leastDisk is the least size of a disk the Local Storage Operator takes (its default minSize), in bytes.
const leastDisk = 1 << 30

// foundDisk is one device that LocalVolumeDiscovery has found on a node.
type foundDisk struct {
	// name is the kernel's (sdb), link the one under /dev/disk/by-id, "" where the disk has none.
	name, link string
	// kind is disk, part, lvm or mpath; state is Available, NotAvailable or Unknown.
	kind, state, fstype string
	// size in bytes.
	size int64
	// volume is the StorageClass of the volume that the disk is already; "" where it is none.
	volume string
}

// empty tells whether the disk is what Data Foundation takes: whole, large enough, without anything on it.
func (d foundDisk) empty() bool {
	return d.kind == "disk" && d.state == "Available" && d.fstype == "" && d.size >= leastDisk && d.volume == ""
}

// why says why a whole disk is not empty.
func (d foundDisk) why() string {
	switch {
	case d.fstype != "":
		return d.name + " carries " + d.fstype
	case d.volume != "":
		return d.name + " is a volume of class " + d.volume
	case d.state != "Available":
		return d.name + " is " + d.state
	}
	return d.name + " is smaller than 1 GiB"
}

// diskReport is what LocalVolumeDiscovery has found on one node.
type diskReport struct {
	node  string
	disks []foundDisk
	// at is when the node's disks last changed.
	at time.Time
}

func (r diskReport) empty() []foundDisk {
	return slices.DeleteFunc(slices.Clone(r.disks), func(d foundDisk) bool { return !d.empty() })
}

// diskReports are those of the nodes that have reported, by name.
func diskReports(ctx context.Context, r kube.Reader) ([]diskReport, error) {
	list := kube.LocalVolumeDiscoveryResult.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	return readReports(list.Items), nil
}

func readReports(results []unstructured.Unstructured) []diskReport {
	var reports []diskReport
	for i := range results {
		u := &results[i]
		if _, reported := u.Object["status"]; !reported {
			continue
		}
		r := diskReport{node: kube.Text(u, "spec", "nodeName")}
		r.at, _ = time.Parse(time.RFC3339, kube.Text(u, "status", "discoveredTimeStamp"))
		for _, device := range kube.Maps(u, "status", "discoveredDevices") {
			d := foundDisk{name: fileName(prereq.Text(device, "path")), link: fileName(prereq.Text(device, "deviceID")),
				kind: prereq.Text(device, "type"), fstype: prereq.Text(device, "fstype")}
			d.state, _, _ = unstructured.NestedString(device, "status", "state")
			d.size, _, _ = unstructured.NestedInt64(device, "size")
			r.disks = append(r.disks, d)
		}
		reports = append(reports, r)
	}
	slices.SortFunc(reports, func(a, b diskReport) int { return strings.Compare(a.node, b.node) })
	return reports
}

// fileName is the last part of a path; "" of none.
func fileName(p string) string {
	if p == "" {
		return ""
	}
	return path.Base(p)
}

// without leaves out the disks that are volumes already: they belong to whoever made the volumes.
func (r diskReport) without(volumes []localDisk, nodes []corev1.Node) diskReport {
	i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == r.node })
	if i < 0 {
		return r
	}
	host := nodes[i].Labels[corev1.LabelHostname]
	r.disks = slices.Clone(r.disks)
	for d := range r.disks {
		if v := slices.IndexFunc(volumes, func(v localDisk) bool { return v.host == host && v.on(r.disks[d]) }); v >= 0 {
			r.disks[d].volume = volumes[v].class
		}
	}
	return r
}

// judgeDisks says whether the disks found are enough to build on. Where they are not, waiting does not bring more.
func judgeDisks(discovery *unstructured.Unstructured, reports []diskReport, nodes []corev1.Node) step.Finding {
	object := "LocalVolumeDiscovery " + kube.Name(discovery)
	if silent := unreported(reports, nodes); len(silent) > 0 {
		words := ""
		if conditions := kube.Conditions(discovery); len(conditions) > 0 {
			words = " (" + conditions[0].Describe() + ")"
		}
		return step.Pending("the disks of %s are not reported yet%s", strings.Join(silent, ", "), words).On("%s", object)
	}
	disks, with := 0, 0
	var lacking []string
	for _, r := range reports {
		n := len(r.empty())
		disks += n
		if n > 0 {
			with++
		} else {
			lacking = append(lacking, r.lack())
		}
	}
	if with < leastStorageNodes {
		return step.Broken("workers with an empty disk: %d of the %d that OpenShift Data Foundation needs; %s", with,
			leastStorageNodes, strings.Join(lacking, "; ")).On("%s", object).
			WithHint("add empty disks, or give hosted clusters another StorageClass: hcctl bootstrap --default-storage-class " +
				"NAME")
	}
	return step.Missing("%d empty disks on %d workers are not used yet", disks, with).On("%s", object)
}

// unreported are the workers that take pods and whose disks nobody has reported.
func unreported(reports []diskReport, nodes []corev1.Node) []string {
	var silent []string
	for i := range nodes {
		known := slices.ContainsFunc(reports, func(r diskReport) bool { return r.node == nodes[i].Name })
		if !known && prereq.TakesPods(&nodes[i]) {
			silent = append(silent, nodes[i].Name)
		}
	}
	return silent
}

// namedDisks is how many disks of a node a message names.
const namedDisks = 12

// lack says why a node has no empty disk. The discovery (4.12 to 4.21) reports no disk that has partitions or other
// children, or is read-only: of a disk with partitions it reports the partitions alone.
func (r diskReport) lack() string {
	var why, parts []string
	for _, d := range r.disks {
		if d.kind == "disk" {
			why = append(why, d.why())
		} else {
			parts = append(parts, d.name+" ("+d.kind+")")
		}
	}
	switch {
	case len(why) == 1:
		return fmt.Sprintf("%s has 1 disk: %s", r.node, why[0])
	case len(why) > 1:
		return fmt.Sprintf("%s has %d disks: %s", r.node, len(why), fewOf(why))
	case len(parts) > 0:
		return fmt.Sprintf("%s has no disk without partitions: %s", r.node, fewOf(parts))
	}
	return r.node + " reports no disk (disks with partitions and read-only ones are not reported)"
}

// fewOf joins names, not more than a person reads.
func fewOf(names []string) string {
	if len(names) <= namedDisks {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:namedDisks], ", ") + prereq.AndMore(len(names)-namedDisks)
}

// diskKinds are what the step from disk to volume looks at.
func diskKinds() []kube.Kind {
	return []kube.Kind{kube.StorageCluster, kube.LVMCluster, kube.LocalVolumeSet, kube.LocalVolume,
		kube.LocalVolumeDiscovery, kube.LocalVolumeDiscoveryResult}
}
