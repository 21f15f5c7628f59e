package disk

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// claimsIn reads objects of YAML documents. Each is called x, in namespace ns.
func claimsIn(t *testing.T, documents string) []Claim {
	t.Helper()
	var objects []unstructured.Unstructured
	for _, document := range strings.Split(documents, "---\n") {
		u := unstructured.Unstructured{}
		data, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		if err := utiljson.Unmarshal(data, &u.Object); err != nil {
			t.Fatal(err)
		}
		u.SetName("x")
		u.SetNamespace("ns")
		objects = append(objects, u)
	}
	return Claims(objects)
}

// What others have told an operator to take is not free, whether or not it has come to it.
func TestDisksOfOthersAreLeft(t *testing.T) {
	disk := nvme("a", "sdb", linked("wwn-0xABC"))
	set := func(inclusion string) string {
		return "{kind: LocalVolumeSet, spec: {storageClassName: fast, deviceInclusionSpec: " + inclusion + "}}"
	}
	volumes := func(classes string) string {
		return "{kind: LocalVolume, spec: {storageClassDevices: " + classes + "}}"
	}
	lvm := func(class string) string {
		return "{kind: LVMCluster, spec: {storage: {deviceClasses: [" + class + "]}}}"
	}
	on := func(terms string) string {
		return "{kind: LocalVolumeSet, spec: {storageClassName: fast, nodeSelector: {nodeSelectorTerms: " + terms + "}}}"
	}
	taken := func(change ...func(*Disk)) Disk {
		d := disk
		for _, c := range change {
			c(&d)
		}
		return d
	}
	static := strings.TrimSuffix(lvm("{name: vg1, deviceDiscoveryPolicy: Static}"), "}") + `,
  status: {deviceClassStatuses: [{name: vg1, nodeStatus: [{node: a, devices: [/dev/sdz]}]}]}}`
	for name, c := range map[string]struct {
		object string
		d      Disk
		left   bool
	}{
		"a set of every disk": {"{kind: LocalVolumeSet, spec: {storageClassName: fast}}", disk, true},
		"of SSDs":             {set("{deviceMechanicalProperties: [NonRotational]}"), disk, true},
		"of hard disks":       {set("{deviceMechanicalProperties: [Rotational]}"), disk, false},
		"of what does not say": {set("{deviceMechanicalProperties: [Rotational]}"),
			taken(func(d *Disk) { d.Media = "" }), true},
		"of partitions":       {set("{deviceTypes: [part]}"), disk, false},
		"of larger ones":      {set("{minSize: 101Gi}"), disk, false},
		"of just that size":   {set("{minSize: 100Gi, maxSize: 100Gi}"), disk, true},
		"of smaller ones":     {set("{maxSize: 99Gi}"), disk, false},
		"of a size in bytes":  {set("{minSize: 107374182401}"), disk, false},
		"of a model, in part": {set("{models: [other, mzql]}"), disk, true},
		"of another model":    {set("{models: [PM]}"), disk, false},
		"of another vendor":   {set("{vendors: [ATA]}"), disk, false},
		"of a vendor":         {set("{vendors: [ata]}"), taken(func(d *Disk) { d.Vendor = "ATA     " }), true},
		"on its node":         {on("[{matchExpressions: [{key: disks, operator: In, values: [a]}]}]"), disk, true},
		"on another node":     {on("[{matchExpressions: [{key: disks, operator: NotIn, values: [a]}]}]"), disk, false},
		"on one of two nodes": {on("[{matchExpressions: [{key: x, operator: Exists}]}, " +
			"{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]"), disk, true},
		"by a term without words":  {on("[{}]"), disk, false},
		"a LocalVolume":            {volumes("[{storageClassName: db, devicePaths: [/dev/sdb]}]"), disk, true},
		"a LocalVolume, by its id": {volumes("[{}, {devicePaths: [/dev/disk/by-id/wwn-0xABC]}]"), disk, true},
		"of another disk":          {volumes("[{devicePaths: [/dev/sdc]}]"), disk, false},
		"LVM Storage":              {lvm("{name: vg1}"), disk, true},
		"LVM Storage, elsewhere": {lvm("{nodeSelector: {nodeSelectorTerms: " +
			"[{matchExpressions: [{key: disks, operator: In, values: [b]}]}]}}"), disk, false},
		"LVM Storage, by paths":                                   {lvm("{deviceSelector: {paths: [/dev/sdc]}}"), disk, false},
		"LVM Storage, perhaps":                                    {lvm("{deviceSelector: {paths: [/dev/sdc], optionalPaths: [/dev/sdb]}}"), disk, true},
		"LVM Storage, later":                                      {strings.Replace(static, "Static", "Dynamic", 1), disk, true},
		"LVM Storage, later, with the policy Static":              {static, disk, false},
		"LVM Storage, with the policy Static, on a node to come":  {strings.Replace(static, "node: a", "node: b", 1), disk, true},
		"LVM Storage, with the policy Static, no group there yet": {strings.Replace(static, "/dev/sdz", "", 1), disk, true},
		"another kind":                                            {"{kind: ConfigMap}", disk, false},
	} {
		for _, agreed := range [][]string{nil, {"node=a", "by-id=" + c.d.Link()}} {
			p := New(reportsOf(c.d), nodesOf("a"), selected(t, Options{Agreed: agreed, Media: AnyMedia}), Held{},
				claimsIn(t, c.object)...)
			if row := p.Rows[0]; row.Taken == c.left || c.left && !strings.HasPrefix(row.Why, "left: it is to be taken by ") {
				t.Errorf("%s, named %t: taken %t, %q", name, agreed != nil, row.Taken, row.Why)
			}
			if named := agreed != nil; named && c.left != (len(p.Problems) > 0) {
				t.Errorf("%s: problems %q", name, p.Problems)
			}
		}
	}
}

// A set that has as many disks of a node as it may have takes no other.
func TestASetTakesNoMoreThanItMay(t *testing.T) {
	claims := claimsIn(t, "{kind: LocalVolumeSet, spec: {storageClassName: none, maxDeviceCount: 0}}\n---\n"+
		"{kind: LocalVolumeSet, spec: {storageClassName: fast, maxDeviceCount: 1}}")
	volume := nvme("a", "sda", func(d *Disk) { d.Class = "fast" })
	p := New(reportsOf(volume, nvme("a", "sdb"), nvme("b", "sdb")), nodesOf("a", "b"), selected(t, Options{}), Held{},
		claims...)
	got := []string{p.Rows[0].Why, p.Rows[1].Why, p.Rows[2].Why}
	want := []string{"left: it is a volume of class fast", "taken", "left: it is to be taken by LocalVolumeSet ns/x"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("disk %d: %q, want %q", i, got[i], want[i])
		}
	}
}

// The parts of one disk on two nodes are shared as the disk is; their serial number is that of the disk.
func TestASharedPartIsNamed(t *testing.T) {
	part := func(node, device, link string) Disk {
		return nvme(node, device, linked(link), func(d *Disk) { d.Type, d.Serial = "part", "SAME" })
	}
	p := planned(t, Options{Types: []string{"part"}}, part("a", "sdb1", "wwn-0x5-part1"),
		part("a", "sdb2", "wwn-0x5-part2"), part("b", "sdc1", "scsi-35-part1"))
	for i, want := range []string{"left: it is the same disk as b /dev/sdc1", "taken",
		"left: it is the same disk as a /dev/sdb1"} {
		if p.Rows[i].Why != want {
			t.Errorf("%s: %q, want %q", p.Rows[i].Place(), p.Rows[i].Why, want)
		}
	}
}
