package disk

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// maxText is the maximum length in bytes of a disk's texts: models, serial numbers and paths of real disks are shorter.
const maxText = 300

// Read returns the reports of LocalVolumeDiscoveryResults, sorted by node. A node that has not reported yet has none.
func Read(results []unstructured.Unstructured) []Report {
	var reports []Report
	for i := range results {
		u := &results[i]
		if _, reported := u.Object["status"]; !reported {
			continue
		}
		r := Report{Node: bounded(kube.Text(u, "spec", "nodeName"))}
		r.At, _ = time.Parse(time.RFC3339, kube.Text(u, "status", "discoveredTimeStamp"))
		for _, device := range kube.Maps(u, "status", "discoveredDevices") {
			r.Disks = append(r.Disks, read(r.Node, device))
		}
		reports = append(reports, r)
	}
	slices.SortFunc(reports, func(a, b Report) int { return strings.Compare(a.Node, b.Node) })
	return reports
}

func read(node string, device map[string]any) Disk {
	text := func(key string) string { return bounded(prereq.Text(device, key)) }
	d := Disk{Node: node, Device: text("path"), ByID: text("deviceID"), Model: text("model"), Vendor: text("vendor"),
		Serial: text("serial"), Type: text("type"), Signature: text("fstype")}
	switch text("property") {
	case "Rotational":
		d.Media = HDD
	case "NonRotational":
		d.Media = SSD
	}
	state, _, _ := unstructured.NestedString(device, "status", "state")
	d.State = bounded(state)
	d.Size, _, _ = unstructured.NestedInt64(device, "size")
	return d
}

// bounded cuts a text that a node reports about its disks.
func bounded(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	return text
}
