package disk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

const giB = 1 << 30

// nvme is an empty disk that nobody can doubt; change may make it another one.
func nvme(node, device string, change ...func(*Disk)) Disk {
	d := Disk{Node: node, Device: "/dev/" + device, ByID: "/dev/disk/by-id/nvme-eui.00" + fmt.Sprintf("%x", node+device),
		Model: "MZQL2", Serial: node + device, Size: 100 * giB, Type: "disk", Media: SSD, State: "Available"}
	for _, c := range change {
		c(&d)
	}
	return d
}

// linked gives the disk another by-id name and no serial number.
func linked(link string) func(*Disk) {
	return func(d *Disk) {
		d.ByID, d.Serial = "/dev/disk/by-id/"+link, ""
		if link == "" {
			d.ByID = ""
		}
	}
}

func reportsOf(disks ...Disk) []Report {
	var out []Report
	for _, d := range disks {
		i := slices.IndexFunc(out, func(r Report) bool { return r.Node == d.Node })
		if i < 0 {
			i, out = len(out), append(out, Report{Node: d.Node})
		}
		out[i].Disks = append(out[i].Disks, d)
	}
	return out
}

func nodesOf(names ...string) []corev1.Node {
	var out []corev1.Node
	for _, name := range names {
		out = append(out, corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels: map[string]string{corev1.LabelHostname: "host-" + name, "disks": name}}})
	}
	return out
}

func selected(t *testing.T, o Options) Selection {
	t.Helper()
	s, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func planned(t *testing.T, o Options, disks ...Disk) Plan {
	t.Helper()
	return New(reportsOf(disks...), nodesOf("a", "b"), selected(t, o), Held{})
}

func TestWhatIsTakenOfOneDisk(t *testing.T) {
	rotational := func(d *Disk) { d.Media = HDD }
	unknown := func(d *Disk) { d.Media = "" }
	for name, tc := range map[string]struct {
		o      Options
		d      Disk
		why    string
		doubts string
	}{
		"an NVMe disk":       {Options{}, nvme("a", "nvme0n1"), "taken", ""},
		"a hard disk":        {Options{}, nvme("a", "sdb", rotational), "left: it is a hard disk", ""},
		"a hard disk wanted": {Options{Media: "hdd"}, nvme("a", "sdb", rotational), "taken", "it is a hard disk"},
		"an SSD not wanted":  {Options{Media: "hdd"}, nvme("a", "sdb"), "left: it is an SSD", ""},
		"any":                {Options{Media: "any"}, nvme("a", "sdb", unknown), "taken", "it is not said to be an SSD"},
		"does not say":       {Options{}, nvme("a", "sdb", unknown), "left: it is not said to be an SSD", ""},
		"a USB stick": {Options{Media: "any"}, nvme("a", "sdb", linked("usb-SanDisk_1-0:0")),
			"left: it is removable", ""},
		"a card": {Options{}, nvme("a", "sdb", linked("mmc-SD16G_0x1")), "left: it is removable", ""},
		"formatted": {Options{}, nvme("a", "sdb", func(d *Disk) { d.Signature = "xfs" }),
			"left: it carries xfs", ""},
		"in use": {Options{}, nvme("a", "sdb", func(d *Disk) { d.State = "NotAvailable" }),
			"left: it is in use", ""},
		"a volume": {Options{}, nvme("a", "sdb", func(d *Disk) { d.Class = "db" }),
			"left: it is a volume of class db", ""},
		"below 1 GiB": {Options{}, nvme("a", "sdb", func(d *Disk) { d.Size = giB - 1 }),
			"left: it is smaller than 1 GiB", ""},
		"too small":         {Options{MinSize: "101Gi"}, nvme("a", "sdb"), "left: it is smaller than 101 GiB", ""},
		"just large enough": {Options{MinSize: "100Gi", MaxSize: "100Gi"}, nvme("a", "sdb"), "taken", ""},
		"too large":         {Options{MaxSize: "99Gi"}, nvme("a", "sdb"), "left: it is larger than 99 GiB", ""},
		"a partition": {Options{}, nvme("a", "sdb1", func(d *Disk) { d.Type = "part" }),
			"left: it is of type part", ""},
		"a partition wanted": {Options{Types: []string{"part"}}, nvme("a", "sdb1", func(d *Disk) { d.Type = "part" }),
			"taken", "it is of type part"},
		"another node": {Options{Nodes: "disks=b"}, nvme("a", "sdb"),
			"left: it is on a node that is not selected", ""},
		"a node that is gone": {Options{}, nvme("gone", "sdb"), "left: it is on a node that is not there", ""},
		"a model to take":     {Options{Take: []string{"mzql"}}, nvme("a", "sdb"), "taken", ""},
		"another model": {Options{Take: []string{"KIOXIA"}}, nvme("a", "sdb"),
			"left: it does not match what is to be taken", ""},
		"a name to leave": {Options{Leave: []string{"nvme-eui.*"}}, nvme("a", "sdb"),
			"left: it matches what is to be left", ""},
		"no by-id name": {Options{}, nvme("a", "vdb", linked("")), "taken", "it has no by-id name"},
		"a vendor's own name": {Options{}, nvme("a", "sdb", linked("scsi-0QEMU_drive-1")),
			"taken", "not unique in the world"},
		"a name to break out": {Options{}, nvme("a", "sdb", linked("wwn-1\n- /dev/sda")),
			"left: it has no plain path", ""},
		"a path elsewhere": {Options{}, nvme("a", "sdb", func(d *Disk) { d.ByID, d.Device = "", "/dev/../etc/passwd" }),
			"left: it has no plain path", ""},
		"named, though a disk": {Options{Agreed: []string{"node=a", "by-id=wwn-9"}},
			nvme("a", "sdb", linked("wwn-9"), rotational),
			"taken", "it is a hard disk"},
		"not named": {Options{Agreed: []string{"node=a", "by-id=wwn-8"}}, nvme("a", "sdb", linked("wwn-9")),
			"left: it is not named", ""},
	} {
		t.Run(name, func(t *testing.T) {
			row := planned(t, tc.o, tc.d).Rows[0]
			if !strings.HasPrefix(row.Why, tc.why) || row.Taken != (tc.why == "taken") {
				t.Errorf("taken %t, %q; want %q", row.Taken, row.Why, tc.why)
			}
			if got := strings.Join(row.Doubts, ";"); !strings.Contains(got, tc.doubts) || (got == "") != (tc.doubts == "") {
				t.Errorf("doubts %q, want %q", got, tc.doubts)
			}
		})
	}
}

// One disk may be seen on several nodes, or by several paths of one, under names that differ.
func TestASharedDiskIsOneAndIsLeft(t *testing.T) {
	const wwn = "600508b1001c3f2a"
	serial := func(d *Disk) { d.Serial = "SAME" }
	for name, disks := range map[string][]Disk{
		"on two nodes": {
			nvme("a", "sdb", linked("wwn-0x"+wwn)), nvme("b", "sdc", linked("wwn-0x"+strings.ToUpper(wwn)))},
		"by two paths":        {nvme("a", "sdb", linked("wwn-0x"+wwn)), nvme("a", "sdc", linked("scsi-3"+wwn))},
		"multipath elsewhere": {nvme("a", "sdb", linked("wwn-0x"+wwn)), nvme("b", "dm-0", linked("dm-uuid-mpath-3"+wwn))},
		"by serial number":    {nvme("a", "sdb", linked("wwn-0x1"), serial), nvme("a", "sdc", linked(""), serial)},
		"by its other name":   {nvme("a", "sdb", linked("ata-M_1")), nvme("b", "sdb", linked("ata-M_1"))},
	} {
		p := planned(t, Options{}, disks...)
		for i, row := range p.Rows {
			other := p.Rows[1-i].Place()
			if row.Taken || !slices.Equal(row.Shared, []string{other}) || row.Why != "left: it is the same disk as "+other {
				t.Errorf("%s: %+v", name, row)
			}
		}
	}
	apart := planned(t, Options{}, nvme("a", "sdb", linked("scsi-0QEMU_1")), nvme("b", "sdb", linked("scsi-0QEMU_1")))
	if len(apart.Taken()) != 2 || len(apart.Problems) > 0 {
		t.Errorf("disks of virtual machines whose names mean nothing: %+v", apart)
	}
}

func TestNamedDisks(t *testing.T) {
	shared := []Disk{nvme("a", "sdb", linked("wwn-0x1")), nvme("b", "sdc", linked("wwn-0x1")), nvme("b", "sdd")}
	one := planned(t, Options{Agreed: []string{"node=a", "by-id=/dev/disk/by-id/wwn-0x1"}}, shared...)
	if len(one.Taken()) != 1 || len(one.Problems) > 0 {
		t.Errorf("one of the nodes: %+v", one)
	}
	// Whoever takes a disk of node b too would take the shared one there, since a LocalVolume names it for both nodes.
	both := planned(t, Options{Agreed: []string{"node=a", "by-id=wwn-0x1", "node=b", "by-id=" + shared[2].Link()}},
		shared...)
	if len(both.Problems) != 1 ||
		!strings.Contains(both.Problems[0], "b /dev/sdc has the same name as a disk that is taken") {
		t.Errorf("problems: %q", both.Problems)
	}
	twice := planned(t, Options{Agreed: []string{"node=a", "by-id=wwn-0x1", "node=b", "by-id=wwn-0x1"}}, shared...)
	if len(twice.Problems) != 1 || twice.Problems[0] != "a /dev/sdb and b /dev/sdc are the same disk" {
		t.Errorf("problems: %q", twice.Problems)
	}
	full := planned(t, Options{Agreed: []string{"node=a", "by-id=wwn-0x1"}},
		nvme("a", "sdb", linked("wwn-0x1"), func(d *Disk) { d.Signature = "ext4" }))
	if len(full.Problems) != 1 || full.Problems[0] != "node=a,by-id=wwn-0x1: left: it carries ext4" {
		t.Errorf("problems: %q", full.Problems)
	}
}

func TestMostDisksPerNode(t *testing.T) {
	p := planned(t, Options{PerNode: 2}, nvme("a", "sdc"), nvme("a", "sda"), nvme("a", "sdb"), nvme("b", "sda"))
	var got []string
	for _, d := range p.Taken() {
		got = append(got, d.Place())
	}
	if want := "a /dev/sda, a /dev/sdb, b /dev/sda"; strings.Join(got, ", ") != want {
		t.Errorf("got %v", got)
	}
	// What is taken already counts.
	volume := nvme("a", "sda", func(d *Disk) { d.Class = "localblock" })
	held := nvme("a", "sdb")
	p = New(reportsOf(volume, held, nvme("a", "sdc")), nodesOf("a"), selected(t, Options{PerNode: 2}),
		Held{Class: "localblock", Paths: []string{held.ByID}, Hosts: []string{"host-a"}})
	if len(p.Taken()) != 0 || p.Rows[2].Why != "left: it is more than the 2 disks of each node" {
		t.Errorf("got %+v", p.Rows)
	}
}

// The digest is of the disks and the selection: neither the order of what is read nor the kernel's names change it, and
// everything else does.
func TestDigest(t *testing.T) {
	disks := []Disk{nvme("a", "sda"), nvme("a", "sdb"), nvme("b", "sda")}
	digest := func(o Options, disks ...Disk) string { return planned(t, o, disks...).Digest() }
	want := digest(Options{}, disks...)
	renamed := nvme("a", "sdb")
	renamed.Device = "/dev/sdq"
	left := nvme("b", "sdz", func(d *Disk) { d.Media = HDD })
	for name, got := range map[string]string{
		"another order":    digest(Options{}, disks[2], disks[1], disks[0]),
		"another name":     digest(Options{}, disks[0], renamed, disks[2]),
		"one that is left": digest(Options{}, append(disks, left)...),
	} {
		if got != want {
			t.Errorf("%s changes the digest", name)
		}
	}
	with := func(change func(*Disk)) []Disk { return []Disk{disks[0], nvme("a", "sdb", change), disks[2]} }
	for name, got := range map[string]string{
		"one less": digest(Options{}, disks[:2]...), "one more": digest(Options{}, append(disks, nvme("b", "sdb"))...),
		"formatted":      digest(Options{}, with(func(d *Disk) { d.Signature = "xfs" })...),
		"another size":   digest(Options{}, with(func(d *Disk) { d.Size++ })...),
		"another serial": digest(Options{}, with(func(d *Disk) { d.Serial = "x" })...),
		"another model":  digest(Options{}, with(func(d *Disk) { d.Model = "x" })...),
		"another node":   digest(Options{}, with(func(d *Disk) { d.Node = "b" })...),
		"another wish":   digest(Options{MinSize: "2Gi"}, disks...),
	} {
		if got == want {
			t.Errorf("%s does not change the digest", name)
		}
	}
	// An agreement is no part of what is agreed to.
	if agreed := digest(Options{Agreed: []string{want}}, disks...); agreed != want {
		t.Errorf("%s is not %s", agreed, want)
	}
}

func TestChanges(t *testing.T) {
	before := planned(t, Options{}, nvme("a", "sda"), nvme("a", "sdb"), nvme("b", "sda"))
	after := planned(t, Options{}, nvme("a", "sdb", func(d *Disk) { d.Signature = "xfs" }), nvme("b", "sda"),
		nvme("b", "sdb"))
	want := "a /dev/sda is gone; a /dev/sdb is now left: it carries xfs; b /dev/sdb would be taken now"
	if got := strings.Join(before.Changes(after), "; "); got != want {
		t.Errorf("got %s", got)
	}
}

func TestHeldDisksAreNotTakenAgain(t *testing.T) {
	d := nvme("a", "sda")
	p := New(reportsOf(d, nvme("a", "sdb"), nvme("b", "sda")), nodesOf("a", "b"), selected(t, Options{}),
		Held{Paths: []string{d.ByID}, Hosts: []string{"host-a"}})
	if len(p.Taken()) != 2 || p.Rows[0].Why != "left: it is to become a volume already" {
		t.Errorf("got %+v", p.Rows)
	}
}

// An LVMCluster takes no further node. Where its paths have to be on every node, one that is not is a problem.
func TestDisksOfNodesThatCannotBeAdded(t *testing.T) {
	d := nvme("a", "sda")
	disks := []Disk{d, nvme("a", "sdb"), nvme("b", "sda")}
	held := Held{Paths: []string{d.ByID}, Hosts: []string{"host-a"}, Closed: true, Everywhere: true}
	p := New(reportsOf(disks...), nodesOf("a", "b"), selected(t, Options{}), held)
	if taken := p.Taken(); len(taken) != 1 || taken[0].Device != "/dev/sdb" || len(p.Problems) > 0 ||
		p.Rows[2].Why != "left: it is on a node that cannot be added any more" {
		t.Errorf("got %+v, problems %q", p.Rows, p.Problems)
	}
	held.Hosts = append(held.Hosts, "host-b")
	missed := "b has no disk " + disks[1].ByID + ", and LVM Storage wants each disk on every node"
	p = New(reportsOf(disks[:2]...), nodesOf("a", "b"), selected(t, Options{}), held)
	if len(p.Problems) != 1 || !strings.HasPrefix(p.Problems[0], missed) {
		t.Errorf("problems %q", p.Problems)
	}
	plain := []Disk{nvme("a", "sdb", linked("")), nvme("b", "sdb", linked(""))}
	p = New(reportsOf(plain...), nodesOf("a", "b"), selected(t, Options{}), Held{Everywhere: true})
	if len(p.Problems) > 0 || len(p.Taken()) != 2 {
		t.Errorf("got %+v, problems %q", p.Rows, p.Problems)
	}
}

func TestValidate(t *testing.T) {
	for field, o := range map[string]Options{
		"storage.disks.nodes": {Nodes: "=="}, "storage.disks.types": {Types: []string{"loop"}},
		"storage.disks.media": {Media: "tape"}, "storage.disks.minSize": {MinSize: "100Mi"},
		"storage.disks.maxSize": {MinSize: "2Ti", MaxSize: "1Ti"}, "storage.disks.perNode": {PerNode: -1},
		"storage.disks.take": {Take: []string{"["}}, "storage.disks.leave": {Leave: []string{""}},
		"storage.disks.agreed": {Agreed: []string{"sha256:1"}},
	} {
		if _, err := o.Validate(); err == nil || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, agreed := range [][]string{{"by-id=wwn-1"}, {"node=a"}, {"node="}, {"node=a", "by-id=../x y"}, {"disk"}} {
		if _, err := (Options{Agreed: agreed}).Validate(); err == nil {
			t.Errorf("%q is accepted", agreed)
		}
	}
}

// The flags of a selection are those that it came from.
func TestFlags(t *testing.T) {
	s := selected(t, Options{Nodes: "disks in (a,b)", Types: []string{"mpath"}, Media: "any", MinSize: "2Gi",
		MaxSize: "4Gi", Take: []string{"it's"}, Leave: []string{"usb-*"}, PerNode: 3})
	want := "--disk-nodes 'disks in (a,b)' --disk-types mpath --disk-media any --disk-min-size 2147483648 " +
		"--disk-max-size 4294967296 --disk-take 'it'\\''s' --disk-leave 'usb-*' --disks-per-node 3 "
	if s.Flags() != want {
		t.Errorf("got %s", s.Flags())
	}
	if got := selected(t, Options{}).Flags(); got != "" {
		t.Errorf("without wishes: %q", got)
	}
}

func TestRead(t *testing.T) {
	var results []unstructured.Unstructured
	for _, text := range []string{
		`{"spec":{"nodeName":"silent"}}`,
		`{"spec":{"nodeName":"b"},"status":{}}`,
		`{"spec":{"nodeName":"a"},"status":{"discoveredTimeStamp":"2026-01-02T03:04:05Z","discoveredDevices":[{
		  "path":"/dev/sdb",
		  "deviceID":"/dev/disk/by-id/wwn-1","model":"` + strings.Repeat("m", 1000) + `","vendor":"v","serial":"s","size":7,
		  "type":"disk","property":"Rotational","fstype":"xfs","status":{"state":"NotAvailable"}}]}}`,
	} {
		u := unstructured.Unstructured{}
		if err := utiljson.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		results = append(results, u)
	}
	got := Read(results)
	if len(got) != 2 || got[0].Node != "a" || got[1].Node != "b" || got[0].At.Year() != 2026 {
		t.Fatalf("got %+v", got)
	}
	d := got[0].Disks[0]
	if len(d.Model) > maxText+3 {
		t.Errorf("a model of %d bytes", len(d.Model))
	}
	d.Model = ""
	if want := (Disk{Node: "a", Device: "/dev/sdb", ByID: "/dev/disk/by-id/wwn-1", Vendor: "v", Serial: "s", Size: 7,
		Type: "disk", Media: HDD, Signature: "xfs", State: "NotAvailable"}); d != want {
		t.Errorf("got %+v", d)
	}
}
