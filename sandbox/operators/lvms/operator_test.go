package lvms

import (
	"context"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
