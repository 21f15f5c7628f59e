package lvms

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/disks"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func nodeWith(t *testing.T, name string, devices ...disks.Disk) *corev1.Node {
	t.Helper()
	raw, err := json.Marshal(devices)
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name,
		Annotations: map[string]string{disks.DisksAnnotation: string(raw)}}}
}

func disk(path, state, fsType string) disks.Disk {
	return disks.Disk{Path: path, Type: "disk", State: state, FSType: fsType, Size: 1 << 40}
}

func lvmsWith(objects ...client.Object) *lvmStorage { return lvmsOf("4.20.1", objects...) }

func lvmsOf(openShift string, objects ...client.Object) *lvmStorage {
	c := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).Build()
	return &lvmStorage{Run: framework.NewRun(nil, operator.Env{Client: c,
		Profile: profile.Profile{OpenShift: openShift}}), namespace: "openshift-storage"}
}

func TestVolumeGroupTakesEmptyDisksOnly(t *testing.T) {
	node := nodeWith(t, "worker-0", disk("/dev/sda", "NotAvailable", "xfs"), disk("/dev/sdb", "Available", ""),
		disk("/dev/sdc", "Available", ""))
	l := lvmsWith(node)
	// The Local Storage Operator has a volume on sdc.
	g, err := l.group(context.Background(), node, deviceClass{Name: "vg1"}, map[string]bool{"worker-0/sdc": true})
	if err != nil {
		t.Fatal(err)
	}
	if g.Status != "Ready" || len(g.Devices) != 1 || g.Devices[0] != "/dev/sdb" {
		t.Errorf("group %+v, want sdb alone", g)
	}
	got := &corev1.Node{}
	if err := l.Client.Get(context.Background(), client.ObjectKeyFromObject(node), got); err != nil {
		t.Fatal(err)
	}
	devices, err := disks.Of(got)
	if err != nil {
		t.Fatal(err)
	}
	if devices[1].State != "NotAvailable" || devices[1].FSType != "LVM2_member" || devices[2].State != "Available" {
		t.Errorf("disks afterwards: %+v", devices)
	}
	// A second call changes nothing, and wipe frees the disk.
	if g, err = l.group(context.Background(), got, deviceClass{Name: "vg1"},
		map[string]bool{"worker-0/sdc": true}); err != nil || len(g.Devices) != 1 {
		t.Errorf("the second time: %+v, %v", g, err)
	}
	if err := l.wipe(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := l.Client.Get(context.Background(), client.ObjectKeyFromObject(node), got); err != nil {
		t.Fatal(err)
	}
	if devices, err = disks.Of(got); err != nil || devices[1].State != "Available" || devices[1].VolumeGroup != "" ||
		devices[0].FSType != "xfs" {
		t.Errorf("disks after wiping: %+v, %v", devices, err)
	}
}

func TestVolumeGroupWithoutDisksFails(t *testing.T) {
	node := nodeWith(t, "worker-0", disk("/dev/sda", "NotAvailable", "xfs"))
	g, err := lvmsWith(node).group(context.Background(), node, deviceClass{Name: "vg1"}, nil)
	if err != nil || g.Status != "Failed" {
		t.Errorf("group %+v, %v", g, err)
	}
	if v := (groups{g, {Status: "Ready"}}).condition(); v.Status != "False" || v.Reason != "VGsFailed" {
		t.Errorf("verdict %+v", v)
	}
}

// TestAGroupThatLosesADiskIsDegraded: vg-manager keeps what is left of a group of named paths, and says what is
// missing.
func TestAGroupThatLosesADiskIsDegraded(t *testing.T) {
	left := disk("/dev/sda", "NotAvailable", "LVM2_member")
	left.VolumeGroup = "vg1"
	node := nodeWith(t, "worker-0", left)
	class := deviceClass{Name: "vg1"}
	if err := json.Unmarshal([]byte(`{"deviceSelector": {"paths": ["/dev/sda", "/dev/sdb"]}}`), &class); err != nil {
		t.Fatal(err)
	}
	g, err := lvmsWith(node).group(context.Background(), node, class, nil)
	if err != nil || g.Status != "Degraded" ||
		!strings.HasPrefix(g.Reason, `mandatory device path "/dev/sdb" cannot be used`) {
		t.Errorf("group %+v, %v", g, err)
	}
	if v := (groups{{Status: "Ready"}, g}).condition(); v.Status != "False" || v.Reason != "VGsDegraded" {
		t.Errorf("verdict %+v", v)
	}
	if v := (groups{g, {Status: "Failed"}}).condition(); v.Reason != "VGsFailed" {
		t.Errorf("verdict %+v", v)
	}
}

func TestLVMSClassIsDefaultOnlyIfThereIsNoOther(t *testing.T) {
	other := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "other",
		Annotations: map[string]string{framework.DefaultClassAnnotation: "true"}}}
	for name, c := range map[string]struct {
		openShift string
		there     []client.Object
		class     deviceClass
		want      bool
	}{
		"alone":                   {"4.20.1", nil, deviceClass{Name: "vg1", Default: true}, true},
		"beside another":          {"4.20.1", []client.Object{other}, deviceClass{Name: "vg1", Default: true}, false},
		"not asked to be":         {"4.20.1", nil, deviceClass{Name: "vg1"}, false},
		"alone, without a field":  {"4.12.9", nil, deviceClass{Name: "vg1"}, true},
		"beside another, in 4.12": {"4.12.9", []client.Object{other}, deviceClass{Name: "vg1"}, false},
		"asked to, by name":       {"4.20.1", nil, deviceClass{Name: "fast", Default: true}, true},
	} {
		l := lvmsOf(c.openShift, c.there...)
		if err := l.classes(context.Background(), []deviceClass{c.class}); err != nil {
			t.Fatal(err)
		}
		got := &storagev1.StorageClass{}
		if err := l.Client.Get(context.Background(), client.ObjectKey{Name: "lvms-" + c.class.Name}, got); err != nil {
			t.Fatal(err)
		}
		if (got.Annotations[framework.DefaultClassAnnotation] == "true") != c.want || got.Provisioner != "topolvm.io" {
			t.Errorf("%s: annotations %v of provisioner %s, want default: %v", name, got.Annotations, got.Provisioner, c.want)
		}
	}
}

// From 4.22 on a class has its mark at every reconcile, whatever somebody else has written.
func TestLVMSKeepsItsMark(t *testing.T) {
	for name, c := range map[string]struct {
		openShift, there string
		class            deviceClass
		want             string
	}{
		"4.21 leaves it":            {"4.21.1", "true", deviceClass{Name: "vg1"}, "true"},
		"4.22 takes another's off":  {"4.22.1", "true", deviceClass{Name: "vg1"}, "false"},
		"4.22 puts its own on":      {"4.22.1", "false", deviceClass{Name: "vg1", Default: true}, "true"},
		"4.22 says false of itself": {"4.22.1", "", deviceClass{Name: "vg1"}, "false"},
	} {
		l := lvmsOf(c.openShift)
		sc := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "lvms-vg1", Annotations: map[string]string{}},
			Provisioner: lvmsDriver}
		if c.there != "" {
			sc.Annotations[framework.DefaultClassAnnotation] = c.there
			if err := l.Client.Create(t.Context(), sc); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.classes(t.Context(), []deviceClass{c.class}); err != nil {
			t.Fatal(err)
		}
		if err := l.Client.Get(t.Context(), client.ObjectKeyFromObject(sc), sc); err != nil {
			t.Fatal(err)
		}
		if got := sc.Annotations[framework.DefaultClassAnnotation]; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The webhook of 4.23 makes device classes that name no disks Static.
func TestStatic(t *testing.T) {
	for class, want := range map[string]bool{
		`{"name": "a"}`: true,
		`{"name": "a", "deviceDiscoveryPolicy": "Dynamic"}`:        false,
		`{"name": "a", "deviceSelector": {"paths": ["/dev/sdb"]}}`: false,
	} {
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON([]byte(`{"apiVersion": "lvm.topolvm.io/v1alpha1", "kind": "LVMCluster", "spec": ` +
			`{"storage": {"deviceClasses": [` + class + `]}}}`)); err != nil {
			t.Fatal(err)
		}
		if raw, err := static(o); err != nil || strings.Contains(string(raw), "Static") != want {
			t.Errorf("%s: %s, %v", class, raw, err)
		}
	}
}

// The deletion waits for volumes, from 4.22 on for claims too, and says so in an Event.
func TestDeletionWaits(t *testing.T) {
	name := "lvms-vg1"
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mine"},
		Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &name}}
	for openShift, want := range map[string]string{"4.21.1": "",
		"4.22.1": "waiting for the deletion of PersistentVolumeClaim default/mine"} {
		got, err := lvmsOf(openShift, claim.DeepCopy()).claimed(t.Context(), []deviceClass{{Name: "vg1"}})
		if got != want || err != nil {
			t.Errorf("%s: %q, %v", openShift, got, err)
		}
	}
}

// A group takes disks that come later, unless its policy is Static or it names its disks; without one of those that it
// has to have it takes none.
func TestWhatAGroupTakesLater(t *testing.T) {
	named := func(paths, optional string) deviceClass {
		c := deviceClass{Name: "vg1"}
		raw := fmt.Sprintf(`{"deviceSelector": {"paths": [%s], "optionalPaths": [%s]}}`, paths, optional)
		if err := json.Unmarshal([]byte(raw), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := disk("/dev/sdb", "NotAvailable", "LVM2_member")
	first.VolumeGroup = "vg1"
	static := deviceClass{Name: "vg1", DeviceDiscoveryPolicy: "Static"}
	for name, c := range map[string]struct {
		class   deviceClass
		devices []disks.Disk
		want    []string
		policy  string
		reason  string
	}{
		"of every disk": {deviceClass{Name: "vg1"}, []disks.Disk{first}, []string{"/dev/sdb", "/dev/sdc"},
			"RuntimeDynamic", ""},
		"Static":             {static, []disks.Disk{first}, []string{"/dev/sdb"}, "RuntimeStatic", ""},
		"Static, to be made": {static, nil, []string{"/dev/sdc"}, "RuntimeStatic", ""},
		"named":              {named(`"/dev/sdb"`, ""), []disks.Disk{first}, []string{"/dev/sdb"}, "Preconfigured", ""},
		"named, one is missing": {named(`"/dev/sdc", "/dev/sdd"`, ""), nil, nil, "Preconfigured",
			`mandatory device path "/dev/sdd" cannot be used`},
		"optional":       {named("", `"/dev/sdc", "/dev/sdd"`), nil, []string{"/dev/sdc"}, "Preconfigured", ""},
		"optional, none": {named("", `"/dev/sdd"`), nil, nil, "Preconfigured", "there were no available devices"},
	} {
		node := nodeWith(t, "worker-0", append(c.devices, disk("/dev/sdc", "Available", ""))...)
		g, err := lvmsWith(node).group(context.Background(), node, c.class, nil)
		if err != nil || !slices.Equal(g.Devices, c.want) || g.Policy != c.policy || !strings.Contains(g.Reason, c.reason) ||
			(g.Status == "Ready") != (c.reason == "") || len(g.Devices)+len(g.Excluded) != len(c.devices)+1 && c.reason == "" {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
}

func TestReviewOfDeviceClasses(t *testing.T) {
	classes := func(text string) []deviceClass {
		raw := []byte(`{"kind": "LVMCluster", "apiVersion": "lvm.topolvm.io/v1alpha1",
		  "spec": {"storage": {"deviceClasses": [` + text + `]}}}`)
		out, err := classesIn(raw)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const named, none = `{"name": "vg1", "deviceSelector": {"paths": ["/dev/sdb"]}}`, `{"name": "vg1"}`
	const more = `{"name": "vg1", "deviceSelector": {"paths": ["/dev/sdb"], "optionalPaths": ["/dev/sdc"]}}`
	for text, want := range map[string]string{
		named: "", none: "", more: "",
		`{"name": "vg1", "deviceSelector": {}}`:           "either paths or optionalPaths must be specified",
		none + `, {"name": "vg2"}`:                        "path list should not be empty",
		strings.Replace(more, "/dev/sdc", "/dev/sdb", 1):  "specified at multiple places",
		strings.Replace(named, "/dev/sdb", "disk/sdb", 1): "must be an absolute path",
		`{"name": "a", "default": true, "deviceSelector": {"paths": ["/dev/sdb"]}},
		 {"name": "b", "default": true, "deviceSelector": {"paths": ["/dev/sdc"]}}`: "there are 2 default",
	} {
		err := validClasses(classes(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	elsewhere := strings.Replace(named, `"vg1"`, `"vg1", "nodeSelector": {"nodeSelectorTerms": []}`, 1)
	for _, c := range []struct{ old, new, release, want string }{
		{named, named, "4.20", ""}, {named, more, "4.20", ""}, {named, none + "", "4.21", "devices can not be removed"},
		{more, named, "4.20", "devices can not be removed"}, {more, named, "4.21", ""},
		{none, named, "4.20", "can not be added"}, {named, elsewhere, "4.20", "NodeSelector can not be changed"},
	} {
		err := validChange(classes(c.old), classes(c.new), c.release)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", c.old, c.new, err, c.want)
		}
	}
}
