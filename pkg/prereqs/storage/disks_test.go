package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func device(name, kind, state, fstype string, size int64) any {
	return map[string]any{"path": "/dev/" + name, "deviceID": "/dev/disk/by-id/wwn-" + name, "type": kind, "size": size,
		"fstype": fstype, "status": map[string]any{"state": state}}
}

func TestReadReports(t *testing.T) {
	result := func(node string, status map[string]any) unstructured.Unstructured {
		u := unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"nodeName": node}}}
		if status != nil {
			u.Object["status"] = status
		}
		return u
	}
	const big = int64(100 << 30)
	got := readReports([]unstructured.Unstructured{
		result("b-full", map[string]any{}),
		result("a", map[string]any{"discoveredTimeStamp": "2026-01-02T03:04:05Z", "discoveredDevices": []any{
			device("sda", "disk", "Available", "", big), device("sdb", "disk", "Available", "", big), device("sdc", "disk",
				"NotAvailable", "xfs", big),
			device("sdd1", "part", "Available", "", big), device("sde", "disk", "Available", "", 1<<20),
		}}),
		result("silent", nil),
	})
	if len(got) != 2 || got[0].node != "a" || got[1].node != "b-full" {
		t.Fatalf("got %+v", got)
	}
	if empty := got[0].empty(); len(empty) != 2 || empty[0].name != "sda" || empty[1].link != "wwn-sdb" {
		t.Errorf("empty disks: %+v", empty)
	}
	if got[0].at.Year() != 2026 {
		t.Errorf("time: %v", got[0].at)
	}
	if !strings.HasSuffix(got[0].lack(), "sdc carries xfs, sde is smaller than 1 GiB") {
		t.Errorf("lack: %s", got[0].lack())
	}
	if want := "b-full reports no disk (disks with partitions and read-only ones are not reported)"; want !=
		got[1].lack() {
		t.Errorf("lack: %s", got[1].lack())
	}
}

// A disk with partitions is not reported, only they are; a device without a link under /dev/disk/by-id has no deviceID.
func TestReportsOfPartitionsAndOfDisksWithoutLink(t *testing.T) {
	unlinked := device("vdb", "disk", "Available", "", 100<<30).(map[string]any)
	unlinked["deviceID"] = ""
	reports := readReports([]unstructured.Unstructured{{Object: map[string]any{
		"spec": map[string]any{"nodeName": "a"},
		"status": map[string]any{"discoveredDevices": []any{
			device("sda1", "part", "NotAvailable", "vfat", 1<<30), device("sda2", "part", "NotAvailable", "xfs", 1<<30)}},
	}}, {Object: map[string]any{
		"spec": map[string]any{"nodeName": "b"}, "status": map[string]any{"discoveredDevices": []any{unlinked}},
	}}})
	if want := "a has no disk without partitions: sda1 (part), sda2 (part)"; reports[0].lack() != want {
		t.Errorf("lack: %s", reports[0].lack())
	}
	disk := reports[1].disks[0]
	if disk.link != "" || !disk.empty() {
		t.Errorf("a disk without a link: %+v", disk)
	}
	if !(localDisk{device: "vdb"}).on(disk) || (localDisk{device: "vdc"}).on(disk) {
		t.Error("the volume of a disk without a link is not known by its device")
	}
}

// Disks that are volumes already belong to whoever made them, though nothing is written on them yet.
func TestDisksThatAreVolumesAreNotEmpty(t *testing.T) {
	r := report("a", 2).without([]localDisk{{class: "database", host: "host-a", device: "sda", link: "wwn-asda"},
		{class: "database", host: "host-b", device: "sdb", link: "wwn-bsdb"}}, []corev1.Node{storageNode("a")})
	if empty := r.empty(); len(empty) != 1 || empty[0].name != "sdb" {
		t.Errorf("empty disks: %+v", empty)
	}
	if !strings.Contains(r.lack(), "sda is a volume of class database") {
		t.Errorf("lack: %s", r.lack())
	}
}

// report is a node's with so many empty disks sda, sdb, ... and one that carries LVM.
func report(node string, empty int) diskReport {
	r := diskReport{node: node, disks: []foundDisk{{name: "vdz", kind: "disk", state: "NotAvailable",
		fstype: "LVM2_member", size: 100 << 30}}}
	for i := range empty {
		name := fmt.Sprintf("sd%c", 'a'+i)
		r.disks = append(r.disks, foundDisk{name: name, link: "wwn-" + node + name, kind: "disk", state: "Available",
			size: 100 << 30})
	}
	return r
}

func storageNode(name string, labels ...string) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name,
		Labels: map[string]string{corev1.LabelHostname: "host-" + name}}}
	for _, l := range labels {
		n.Labels[l] = ""
	}
	return n
}

func TestJudgeDisks(t *testing.T) {
	discovery := newDiscovery("openshift-local-storage")
	nodes := []corev1.Node{storageNode("a"), storageNode("b"), storageNode("c")}
	for name, tc := range map[string]struct {
		reports []diskReport
		want    step.State
		says    string
	}{
		"enough": {[]diskReport{report("a", 1), report("b", 2), report("c", 1)}, step.StateMissing,
			"4 empty disks on 3 workers"},
		"too few": {[]diskReport{report("a", 1), report("b", 2), report("c", 0)}, step.StateBroken,
			"workers with an empty disk: 2 of the 3 that OpenShift Data Foundation needs; " +
				"c has 1 disk: vdz carries LVM2_member"},
		"none at all": {[]diskReport{report("a", 0), report("b", 0), {node: "c"}}, step.StateBroken,
			"b has 1 disk: vdz carries LVM2_member; c reports no disk"},
		"not all yet": {[]diskReport{report("a", 1)}, step.StatePending, "the disks of b, c are not reported yet"},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeDisks(discovery, tc.reports, nodes)
			prereqtest.Expect(t, f, tc.want, tc.says)
			if strings.Contains(f.Message+f.Hint, "wipe") {
				t.Errorf("it advises to wipe disks: %+v", f)
			}
		})
	}
}

func TestJudgeMadeVolumes(t *testing.T) {
	now := time.Now()
	set := func(age time.Duration) diskSource {
		u := newVolumeSet("openshift-local-storage")
		u.SetCreationTimestamp(metav1.NewTime(now.Add(-age)))
		u.SetLabels(map[string]string{kube.ManagedByLabel: kube.FieldOwner})
		return diskSource{object: u, class: localClass, raw: true}
	}
	foreign := func(age time.Duration) diskSource {
		source := set(age)
		source.object.SetLabels(nil)
		return source
	}
	volume := func(node, disk string) localDisk {
		return localDisk{class: localClass, host: "host-" + node, device: disk, link: "wwn-" + node + disk}
	}
	all := []localDisk{volume("a", "sda"), volume("b", "sda"), volume("c", "sda"),
		{class: "other", host: "host-a", device: "sdx"}}
	renamed := []localDisk{{class: localClass, host: "host-a", device: "sdq", link: "wwn-asda"}, volume("b", "sda"),
		volume("c", "sda")}
	nodes := []corev1.Node{storageNode("a", storageLabel), storageNode("b", storageLabel), storageNode("c", storageLabel),
		storageNode("other")}
	one := []diskReport{report("a", 1), report("b", 1), report("c", 1), report("other", 5)}
	two := []diskReport{report("a", 2), report("b", 1), report("c", 1)}
	late := []diskReport{report("a", 2), report("b", 1), report("c", 1)}
	late[0].at = now.Add(-time.Minute)
	for name, tc := range map[string]struct {
		m    made
		want step.State
		says string
	}{
		"every disk": {made{source: set(time.Hour), volumes: all, reports: one, nodes: nodes}, step.StateOK,
			"3 volumes of class localblock"},
		"a kernel name that changed": {made{source: set(time.Hour), volumes: renamed, reports: one, nodes: nodes},
			step.StateOK, "3 volumes"},
		"being made": {made{source: set(time.Minute), volumes: all, reports: two, nodes: nodes}, step.StatePending,
			"3 volumes are made, a/sdb not yet"},
		"a disk that came a while ago": {made{source: set(time.Hour), volumes: all, reports: late, nodes: nodes},
			step.StatePending,
			"a/sdb not yet"},
		"one is refused": {made{source: set(time.Hour), volumes: all, reports: two, nodes: nodes}, step.StateOK,
			"does not take a/sdb"},
		"another class has it": {made{source: set(0),
			volumes: append([]localDisk{{class: "other", host: "host-a", device: "sdb"}}, all...), reports: two,
			nodes: nodes}, step.StateOK, "3 volumes of class localblock"},
		"too few, young": {made{source: set(time.Minute), volumes: all[:2], reports: one, nodes: nodes},
			step.StatePending, "c/sda not yet"},
		"too few": {made{source: set(time.Hour), volumes: all[:2], reports: one, nodes: nodes}, step.StateBroken,
			"on 2 nodes, OpenShift Data Foundation needs them on 3; the Local Storage Operator does not take c/sda"},
		"released volumes are of no use": {made{source: set(time.Hour), volumes: append(slices.Clone(all[:2]),
			localDisk{class: localClass, host: "host-c", device: "sda", released: true}), reports: one, nodes: nodes},
			step.StateBroken, "on 2 nodes, OpenShift Data Foundation needs them on 3"},
		"built already": {made{source: set(time.Hour), volumes: all[:2], reports: two, nodes: nodes, built: true},
			step.StateOK, "2 volumes"},
		"somebody else's on nodes without label": {made{source: foreign(time.Hour), volumes: all,
			nodes: []corev1.Node{nodes[0], storageNode("b"), storageNode("c")}}, step.StateMissing,
			"OpenShift Data Foundation does not store on: b, c (label cluster.ocs.openshift.io/openshift-storage)"},
		"somebody else's set": {made{source: foreign(time.Hour), volumes: all}, step.StateOK, "3 volumes"},
		"somebody else's, young": {made{source: foreign(0), volumes: nil}, step.StatePending,
			"0 volumes are made, on 0 nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.m.now = now
			f := tc.m.judge()
			prereqtest.Expect(t, f, tc.want, tc.says)
			if f.State == step.StatePending && (f.Recheck <= 0 || f.Recheck > volumeGrace) {
				t.Errorf("looks again after %v", f.Recheck)
			}
		})
	}
}

func TestChosenSource(t *testing.T) {
	set := func(class, mode string) diskSource {
		u := *kube.LocalVolumeSet.New()
		u.Object["spec"] = map[string]any{"storageClassName": class, "volumeMode": mode}
		return sourcesOfSets([]unstructured.Unstructured{u})[0]
	}
	volume := func(class, mode string) diskSource {
		u := *kube.LocalVolume.New()
		u.Object["spec"] = map[string]any{"storageClassDevices": []any{
			map[string]any{"storageClassName": class, "volumeMode": mode}}}
		return sourcesOfVolumes([]unstructured.Unstructured{u})[0]
	}
	for name, tc := range map[string]struct {
		sources []diskSource
		want    string
	}{
		"none":                       {nil, ""},
		"files are no use":           {[]diskSource{set("files", "Filesystem")}, ""},
		"somebody's":                 {[]diskSource{set("files", "Filesystem"), set("raw", "Block")}, "raw"},
		"ours goes first":            {[]diskSource{set("raw", "Block"), set(localClass, "Block")}, localClass},
		"the first of equal":         {[]diskSource{set("raw", "Block"), set("raw2", "Block")}, "raw"},
		"a LocalVolume of the class": {[]diskSource{set("raw", "Block"), volume(localClass, "Block")}, localClass},
		"one for other ends":         {[]diskSource{volume("database", "Block")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if found := chosen(tc.sources); found != nil {
				got = found.class
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
