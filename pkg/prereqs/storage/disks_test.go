package storage

import (
	"fmt"
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
	if want := "b-full has no disks at all"; got[1].lack() != want {
		t.Errorf("lack: %s", got[1].lack())
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
			"b has 1 disk: vdz carries LVM2_member; c has no disks at all"},
		"not all yet": {[]diskReport{report("a", 1)}, step.StatePending, "the disks of b, c are not reported yet"},
	} {
		t.Run(name, func(t *testing.T) { prereqtest.Expect(t, judgeDisks(discovery, tc.reports, nodes), tc.want, tc.says) })
	}
}

func TestJudgeMadeVolumes(t *testing.T) {
	now := time.Now()
	set := func(age time.Duration) *unstructured.Unstructured {
		u := newVolumeSet("openshift-local-storage")
		u.SetCreationTimestamp(metav1.NewTime(now.Add(-age)))
		return u
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
		"every disk": {made{set: set(time.Hour), volumes: all, reports: one, nodes: nodes}, step.StateOK,
			"3 volumes of class localblock"},
		"a kernel name that changed": {made{set: set(time.Hour), volumes: renamed, reports: one, nodes: nodes}, step.StateOK,
			"3 volumes"},
		"being made": {made{set: set(time.Minute), volumes: all, reports: two, nodes: nodes}, step.StatePending,
			"3 volumes are made, a/sdb not yet"},
		"a disk that came a while ago": {made{set: set(time.Hour), volumes: all, reports: late, nodes: nodes},
			step.StatePending,
			"a/sdb not yet"},
		"one is refused": {made{set: set(time.Hour), volumes: all, reports: two, nodes: nodes}, step.StateOK,
			"does not take a/sdb"},
		"another class has it": {made{set: set(0),
			volumes: append([]localDisk{{class: "other", host: "host-a", device: "sdb"}}, all...), reports: two,
			nodes: nodes}, step.StateOK, "3 volumes of class localblock"},
		"too few, young": {made{set: set(time.Minute), volumes: all[:2], reports: one, nodes: nodes},
			step.StatePending, "c/sda not yet"},
		"too few": {made{set: set(time.Hour), volumes: all[:2], reports: one, nodes: nodes}, step.StateBroken,
			"on 2 nodes, OpenShift Data Foundation needs them on 3; the Local Storage Operator does not take c/sda"},
		"somebody else's set":    {made{set: set(time.Hour), volumes: all}, step.StateOK, "3 volumes"},
		"somebody else's, young": {made{set: set(0), volumes: nil}, step.StatePending, "0 volumes are made, on 0 nodes"},
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

func TestBlockSet(t *testing.T) {
	set := func(class, mode string) unstructured.Unstructured {
		u := *kube.LocalVolumeSet.New()
		u.Object["spec"] = map[string]any{"storageClassName": class, "volumeMode": mode}
		return u
	}
	for name, tc := range map[string]struct {
		sets []unstructured.Unstructured
		want string
	}{
		"none":               {nil, ""},
		"files are no use":   {[]unstructured.Unstructured{set("files", "Filesystem")}, ""},
		"somebody's":         {[]unstructured.Unstructured{set("files", "Filesystem"), set("raw", "Block")}, "raw"},
		"ours goes first":    {[]unstructured.Unstructured{set("raw", "Block"), set(localClass, "Block")}, localClass},
		"the first of equal": {[]unstructured.Unstructured{set("raw", "Block"), set("raw2", "Block")}, "raw"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if found := blockSet(tc.sets); found != nil {
				got = kube.Text(found, "spec", "storageClassName")
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
