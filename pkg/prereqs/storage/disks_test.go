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

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// report is a node's with so many empty disks sda, sdb, ... and one that carries LVM.
func report(node string, empty int) disk.Report {
	r := disk.Report{Node: node, Disks: []disk.Disk{{Node: node, Device: "/dev/vdz", Type: "disk", State: "NotAvailable",
		Signature: "LVM2_member", Size: 100 << 30}}}
	for i := range empty {
		name := fmt.Sprintf("sd%c", 'a'+i)
		r.Disks = append(r.Disks, disk.Disk{Node: node, Device: "/dev/" + name, ByID: "/dev/disk/by-id/wwn-" + node + name,
			Type: "disk", State: "Available", Media: disk.SSD, Size: 100 << 30})
	}
	return r
}

// planOf is the plan of a run without settings.
func planOf(t *testing.T, o disk.Options, reports []disk.Report, nodes []corev1.Node) (common, diskFacts) {
	t.Helper()
	v, err := Options{Disks: o}.Validate()
	if err != nil {
		t.Fatal(err)
	}
	return common{o: v}, diskFacts{reports: reports, nodes: nodes,
		plan: disk.New(reports, nodes, v.disks, disk.Held{})}
}

func TestTheVolumeOfADiskWithoutLink(t *testing.T) {
	d := disk.Disk{Node: "b", Device: "/dev/vdb"}
	if !(localDisk{device: "vdb"}).on(d) || (localDisk{device: "vdc"}).on(d) {
		t.Error("the volume of a disk without a link is not known by its device")
	}
}

// Disks that are volumes already belong to whoever made them, though nothing is written on them yet.
func TestDisksThatAreVolumesAreNotEmpty(t *testing.T) {
	nodes := []corev1.Node{storageNode("a")}
	reports := withVolumes([]disk.Report{report("a", 2)}, []localDisk{
		{class: "database", host: "host-a", device: "sda", link: "wwn-asda"},
		{class: "database", host: "host-b", device: "sdb", link: "wwn-bsdb"}}, nodes)
	_, f := planOf(t, disk.Options{}, reports, nodes)
	if taken := f.plan.Taken(); len(taken) != 1 || taken[0].Name() != "sdb" {
		t.Errorf("taken: %+v", taken)
	}
	if got := whyNoDisk(reports[0], f.plan); !strings.Contains(got, "sda is a volume of class database") {
		t.Errorf("lack: %s", got)
	}
}

func TestLackOfPartitionsAndOfNothing(t *testing.T) {
	parts := disk.Report{Node: "a", Disks: []disk.Disk{{Node: "a", Device: "/dev/sda1", Type: "part"},
		{Node: "a", Device: "/dev/sda2", Type: "part"}}}
	nodes := []corev1.Node{storageNode("a"), storageNode("b")}
	_, f := planOf(t, disk.Options{}, []disk.Report{parts, {Node: "b"}}, nodes)
	if want, got := "a has no disk without partitions: sda1 (part), sda2 (part)", whyNoDisk(parts, f.plan); got != want {
		t.Errorf("lack: %s", got)
	}
	want := "b reports no disk (disks with partitions and read-only ones are not reported)"
	if got := whyNoDisk(disk.Report{Node: "b"}, f.plan); got != want {
		t.Errorf("lack: %s", got)
	}
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
	nodes := []corev1.Node{storageNode("a", prereq.WorkerLabel), storageNode("b", prereq.WorkerLabel),
		storageNode("c", prereq.WorkerLabel)}
	three := []disk.Report{report("a", 1), report("b", 2), report("c", 1)}
	_, whole := planOf(t, disk.Options{}, three, nodes)
	hard := []disk.Report{report("a", 1), report("b", 1), report("c", 1)}
	hard[0].Disks[1].Media = disk.HDD
	_, agreed := planOf(t, disk.Options{Media: disk.AnyMedia}, hard, nodes)
	named := []string{"node=a", "by-id=wwn-asda", "node=b", "by-id=wwn-bsda", "node=c", "by-id=wwn-csda"}
	for name, tc := range map[string]struct {
		o       disk.Options
		asks    bool
		reports []disk.Report
		want    step.State
		says    string
	}{
		"enough": {disk.Options{}, false, three, step.StateMissing, "4 disks on 3 nodes, 400 GiB in all, are not used yet"},
		"too few": {disk.Options{}, false, []disk.Report{report("a", 1), report("b", 2), report("c", 0)}, step.StateBroken,
			"workers with a disk to take: 2 of the 3 that OpenShift Data Foundation needs; " +
				"c has 1 disk: vdz carries LVM2_member"},
		"none at all": {disk.Options{}, false, []disk.Report{report("a", 0), report("b", 0), {Node: "c"}}, step.StateBroken,
			"b has 1 disk: vdz carries LVM2_member; c reports no disk"},
		"not all yet": {disk.Options{}, false, []disk.Report{report("a", 1)}, step.StatePending,
			"the disks of b, c are not reported yet"},
		"a hard disk is left": {disk.Options{}, false, hard, step.StateBroken,
			"a has 2 disks: sda is a hard disk, vdz carries LVM2_member"},
		"a hard disk is wanted": {disk.Options{Media: disk.AnyMedia}, false, hard, step.StateBroken,
			"the disks need approval: a /dev/sda: it is a hard disk"},
		"and a person is asked": {disk.Options{Media: disk.AnyMedia}, true, hard, step.StateMissing, "3 disks on 3 nodes"},
		"and agreed to": {disk.Options{Media: disk.AnyMedia, Agreed: []string{agreed.plan.Digest()}}, false, hard,
			step.StateMissing, "3 disks on 3 nodes"},
		"agreed to": {disk.Options{Agreed: []string{whole.plan.Digest()}}, false, three, step.StateMissing, "4 disks"},
		"others were agreed to": {disk.Options{Agreed: []string{whole.plan.Digest()}}, true,
			append([]disk.Report{report("a", 2)}, three[1:]...), step.StateBroken,
			"these are not the disks that were approved: the digest is sha256:"},
		"named": {disk.Options{Agreed: named}, false, three, step.StateMissing, "3 disks on 3 nodes"},
		"named and not there": {disk.Options{Agreed: append(named, "by-id=wwn-x")}, true, three, step.StateBroken,
			"the disks cannot be taken: node=c,by-id=wwn-x: there is no such disk"},
	} {
		t.Run(name, func(t *testing.T) {
			s, facts := planOf(t, tc.o, tc.reports, nodes)
			s.o.consent.Caller.Terminal = tc.asks
			f := s.judgeDisks(discovery, facts, foundationTaker(disk.Held{}))
			prereqtest.Expect(t, f, tc.want, tc.says)
			if strings.Contains(f.Message+f.Hint.String(), "wipe") {
				t.Errorf("it advises to wipe disks: %+v", f)
			}
			if (f.Detail == "") != (f.State == step.StatePending) {
				t.Errorf("the plan is not shown: %+v", f)
			}
		})
	}
	// The hint is the command that goes on.
	s, facts := planOf(t, disk.Options{Media: disk.AnyMedia}, hard, nodes)
	want := "hcctl bootstrap --disk-media any --disks " + agreed.plan.Digest()
	if got := s.judgeDisks(discovery, facts, foundationTaker(disk.Held{})).Hint.String(); !strings.HasSuffix(got, want) {
		t.Errorf("hint %q, want %q", got, want)
	}
}

// TestWhoAgreesToDisks: plans with and without doubts, approved in each way, for each caller. A plan that stops has the
// command that goes on as its hint.
func TestWhoAgreesToDisks(t *testing.T) {
	nodes := []corev1.Node{storageNode("a", prereq.WorkerLabel), storageNode("b", prereq.WorkerLabel),
		storageNode("c", prereq.WorkerLabel)}
	named := []string{"node=a", "by-id=wwn-asda", "node=b", "by-id=wwn-bsda", "node=c", "by-id=wwn-csda"}
	for _, doubts := range []bool{false, true} {
		reports := []disk.Report{report("a", 1), report("b", 1), report("c", 1)}
		if doubts {
			reports[0].Disks[1].Media = disk.HDD
		}
		_, whole := planOf(t, disk.Options{Media: disk.AnyMedia}, reports, nodes)
		digest := whole.plan.Digest()
		for approval, agreed := range map[consent.Approval][]string{consent.NotGiven: nil, consent.OfThese: {digest},
			consent.Named: named, consent.OfOthers: {"sha256:" + strings.Repeat("0", 64)}} {
			s, facts := planOf(t, disk.Options{Media: disk.AnyMedia, Agreed: agreed}, reports, nodes)
			if got, want := facts.plan.Request(), (consent.Request{Disks: approval, Doubts: doubts}); got != want {
				t.Errorf("%v, doubts %t: the request is %+v", agreed, doubts, got)
			}
			for _, caller := range []consent.Caller{{}, {Yes: true}, {Terminal: true}, {Terminal: true, Yes: true}} {
				s.o.consent.Caller = caller
				f := s.judgeDisks(newDiscovery("openshift-local-storage"), facts, foundationTaker(disk.Held{}))
				asked := caller.Terminal && !caller.Yes
				stops := approval == consent.OfOthers || approval == consent.NotGiven && doubts && !asked
				hint := "hcctl bootstrap --disk-media any --disks " + digest
				if stops != (f.State == step.StateBroken) || stops && f.Hint.String() != hint {
					t.Errorf("%+v, --disks %q, doubts %t: %+v", caller, approval, doubts, f)
				}
			}
		}
	}
}

func TestJudgeMadeVolumes(t *testing.T) {
	now := time.Now()
	set := func(age time.Duration) diskSource {
		u := kube.LocalVolumeSet.New()
		u.SetName(localClass)
		u.SetNamespace("openshift-local-storage")
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
	seenTwice := func(link string) []localDisk {
		return append(slices.Clone(all), localDisk{class: localClass, host: "host-b", device: "sdq", link: link},
			localDisk{class: localClass, host: "host-c", device: "sdr", link: link})
	}
	renamed := []localDisk{{class: localClass, host: "host-a", device: "sdq", link: "wwn-asda"}, volume("b", "sda"),
		volume("c", "sda")}
	nodes := []corev1.Node{storageNode("a", storageLabel), storageNode("b", storageLabel), storageNode("c", storageLabel),
		storageNode("other")}
	one := []disk.Report{report("a", 1), report("b", 1), report("c", 1), report("other", 5)}
	two := []disk.Report{report("a", 2), report("b", 1), report("c", 1)}
	late := []disk.Report{report("a", 2), report("b", 1), report("c", 1)}
	late[0].At = now.Add(-time.Minute)
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
			"3 volumes made, a/sdb not yet"},
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
		"none may be taken": {made{source: func() diskSource {
			source := set(0)
			source.object.Object["spec"] = map[string]any{"maxDeviceCount": int64(0)}
			return source
		}(), volumes: all[:2], reports: one, nodes: nodes}, step.StateBroken,
			"its spec.maxDeviceCount is 0, so that it takes no disk of any node"},
		"released volumes are of no use": {made{source: set(time.Hour), volumes: append(slices.Clone(all[:2]),
			localDisk{class: localClass, host: "host-c", device: "sda", released: true}), reports: one, nodes: nodes},
			step.StateBroken, "on 2 nodes, OpenShift Data Foundation needs them on 3"},
		"one LUN on two nodes": {made{source: set(time.Hour), volumes: seenTwice("wwn-0x5a"), reports: one, nodes: nodes,
			built: true}, step.StateBroken, "two volumes of class localblock are one disk, wwn-0x5a: on host-b and on host-c"},
		"a vendor's name on two nodes": {made{source: set(time.Hour), volumes: seenTwice("virtio-data"), reports: one,
			nodes: nodes}, step.StateOK, "5 volumes"},
		"built already": {made{source: set(time.Hour), volumes: all[:2], reports: two, nodes: nodes, built: true},
			step.StateOK, "2 volumes"},
		"somebody else's on nodes without label": {made{source: foreign(time.Hour), volumes: all,
			nodes: []corev1.Node{nodes[0], storageNode("b"), storageNode("c")}}, step.StateMissing,
			"OpenShift Data Foundation does not store on: b, c (label cluster.ocs.openshift.io/openshift-storage)"},
		"somebody else's set": {made{source: foreign(time.Hour), volumes: all}, step.StateOK, "3 volumes"},
		"somebody else's, young": {made{source: foreign(0), volumes: nil, nodes: nodes}, step.StatePending,
			"0 volumes made, on 0 nodes"},
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
		named   string
		sources []diskSource
		want    string
		fails   bool
	}{
		"none":                       {},
		"somebody's":                 {sources: []diskSource{set("files", "Filesystem"), set("raw", "Block")}},
		"somebody's, named":          {"raw", []diskSource{set("files", "Filesystem"), set("raw", "Block")}, "raw", false},
		"files are no use":           {"files", []diskSource{set("files", "Filesystem")}, "", true},
		"named and not there":        {"raw2", []diskSource{set("raw", "Block"), set(localClass, "Block")}, "", true},
		"another than the usual one": {"raw", []diskSource{set(localClass, "Block"), set("raw", "Block")}, "raw", false},
		"the usual class":            {"", []diskSource{set("raw", "Block"), set(localClass, "Block")}, localClass, false},
		"a LocalVolume of the class": {"", []diskSource{set("raw", "Block"), volume(localClass, "Block")}, localClass, false},
		"one for other ends":         {sources: []diskSource{volume("database", "Block")}},
		"one for other ends, named":  {"database", []diskSource{volume("database", "Block")}, "database", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{}
			if tc.named != "" {
				o.Disks.Agreed = []string{"class=" + tc.named}
			}
			v, err := o.Validate()
			if err != nil {
				t.Fatal(err)
			}
			got, s := "", common{o: v}
			if found := s.chosen(tc.sources); found != nil {
				got = found.class
			}
			if err := s.noSuchClass(tc.sources); got != tc.want || (err != nil) != tc.fails {
				t.Errorf("got %q, %v, want %q", got, err, tc.want)
			}
		})
	}
}
