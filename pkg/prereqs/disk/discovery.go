package disk

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// longest is how much of a text of a disk is kept: no model, serial number or path of a real one is longer.
const longest = 300

// Read returns the reports of LocalVolumeDiscoveryResults, by the names of their nodes. A node that has not reported
// yet has none.
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

// bounded cuts what a node says of its disks.
func bounded(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "..."
	}
	return text
}
