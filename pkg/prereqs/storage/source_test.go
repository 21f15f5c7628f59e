package storage

import (
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/prereqs/disk"
)

// classOf is a StorageClass; each mark is an annotation set to true.
func classOf(name, provisioner string, marks ...string) storagev1.StorageClass {
	sc := storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{}},
		Provisioner: provisioner}
	for _, m := range marks {
		sc.Annotations[m] = "true"
	}
	return sc
}

func oldClass(sc storagev1.StorageClass, age time.Duration) storagev1.StorageClass {
	sc.CreationTimestamp = metav1.NewTime(time.Unix(1_000_000_000, 0).Add(-age))
	return sc
}

func TestPlanStorage(t *testing.T) {
	const ceph = "openshift-storage.rbd.csi.ceph.com"
	ceph1 := *newStorageCluster("openshift-storage", localClass, spread{count: 1, replica: 3})
	renamed := *newStorageCluster("openshift-storage", localClass, spread{count: 1, replica: 3})
	renamed.SetName("mine")
	renamed.Object["spec"].(map[string]any)["managedResources"] = map[string]any{
		"cephBlockPools": map[string]any{"storageClassName": "fast"},
	}
	elsewhere := *newStorageCluster("my-storage", localClass, spread{count: 1, replica: 3})
	lvm := *newLVMCluster("openshift-storage", semver.MustParse("4.18.0"), disk.Held{})
	byHand := *newLVMCluster("openshift-storage", semver.MustParse("4.18.0"), disk.Held{})
	byHand.Object["spec"] = map[string]any{"storage": map[string]any{
		"deviceClasses": []any{map[string]any{"name": "slow"}},
	}}
	clusters := func(u ...unstructured.Unstructured) []unstructured.Unstructured { return u }
	classes := func(c ...storagev1.StorageClass) []storagev1.StorageClass { return c }
	for name, tc := range map[string]struct {
		o    Options
		f    storageFacts
		want storageSource
		says string
	}{
		"existing": {Options{Mode: ModeExisting}, storageFacts{}, sourceExisting, "--storage existing"},
		"odf although a class is there": {Options{Mode: ModeDataFoundation},
			storageFacts{classes: classes(classOf("a", "x", defaultClassAnnotation))}, sourceDataFoundation, ""},
		"lvms":                   {Options{Mode: ModeLVM}, storageFacts{}, sourceLVM, ""},
		"auto on a bare cluster": {Options{}, storageFacts{}, sourceDataFoundation, ""},
		"auto keeps a class": {Options{},
			storageFacts{classes: classes(classOf("a", "x", defaultClassAnnotation))}, sourceExisting, "StorageClass a is there"},
		"the old annotation counts": {Options{},
			storageFacts{classes: classes(classOf("a", "x", betaDefaultClassAnnotation))}, sourceExisting, ""},
		"a class nobody marked does not": {Options{}, storageFacts{classes: classes(classOf("a", "x"))},
			sourceDataFoundation, ""},
		"one without provisioner neither": {Options{},
			storageFacts{classes: classes(classOf("a", noProvisioner, defaultClassAnnotation))}, sourceDataFoundation, ""},
		"nor one of buckets": {Options{},
			storageFacts{classes: classes(classOf("a", "openshift-storage.noobaa.io/obc", defaultClassAnnotation))},
			sourceDataFoundation, ""},
		"a second one is kept": {Options{},
			storageFacts{classes: classes(classOf("a", noProvisioner, defaultClassAnnotation),
				classOf("b", "x", defaultClassAnnotation))}, sourceExisting, "StorageClass b"},
		"its own class": {Options{},
			storageFacts{classes: classes(classOf("a", ceph, defaultClassAnnotation)), storageClusters: clusters(ceph1)},
			sourceDataFoundation, ""},
		"its own class in another namespace, from 4.16 on": {Options{},
			storageFacts{classes: classes(classOf("a", ceph, defaultClassAnnotation)), storageClusters: clusters(elsewhere)},
			sourceDataFoundation, ""},
		"Rook's own Ceph": {Options{},
			storageFacts{classes: classes(classOf("a", "rook-ceph.rbd.csi.ceph.com", defaultClassAnnotation))}, sourceExisting, ""},
		"a StorageCluster by hand": {Options{}, storageFacts{storageClusters: clusters(renamed)}, sourceDataFoundation,
			"StorageCluster openshift-storage/mine"},
		"LVM Storage half way":       {Options{}, storageFacts{lvmClusters: clusters(lvm)}, sourceLVM, "lvms-vg1"},
		"LVM Storage for other ends": {Options{}, storageFacts{lvmClusters: clusters(byHand)}, sourceDataFoundation, ""},
		"a named class": {Options{DefaultClass: "a"}, storageFacts{classes: classes(classOf("a", "x"))},
			sourceExisting, "--default-storage-class a"},
		"a named class of Ceph": {Options{DefaultClass: "a"},
			storageFacts{classes: classes(classOf("a", ceph)), storageClusters: clusters(ceph1)}, sourceDataFoundation, ""},
		"a class Ceph would make": {Options{DefaultClass: "ocs-storagecluster-cephfs"}, storageFacts{},
			sourceDataFoundation, ""},
		"a class this Ceph would make": {Options{DefaultClass: "fast"}, storageFacts{storageClusters: clusters(renamed)},
			sourceDataFoundation, ""},
		"a class this Ceph would not": {Options{DefaultClass: "mine-ceph-rbd"},
			storageFacts{storageClusters: clusters(renamed)}, sourceExisting, ""},
		"a class LVM Storage makes": {Options{DefaultClass: "lvms-slow"},
			storageFacts{classes: classes(classOf("lvms-slow", "topolvm.io")), lvmClusters: clusters(byHand)}, sourceLVM, ""},
		"a class LVM Storage would make": {Options{DefaultClass: "lvms-vg1"}, storageFacts{}, sourceExisting, ""},
		"a class nobody makes":           {Options{DefaultClass: "typo"}, storageFacts{}, sourceExisting, "typo"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := planStorage(tc.o, tc.f); got.source != tc.want || !strings.Contains(got.why, tc.says) {
				t.Errorf("got %+v, want source %d because of %q", got, tc.want, tc.says)
			}
		})
	}
}

func TestDefaultsOfPutsTheNewestFirst(t *testing.T) {
	got := classNames(defaultsOf([]storagev1.StorageClass{
		oldClass(classOf("old", "x", defaultClassAnnotation), time.Hour), classOf("unmarked", "x"),
		oldClass(classOf("b-new", "x", defaultClassAnnotation),
			0), oldClass(classOf("a-new", "x", betaDefaultClassAnnotation), 0),
	}))
	if strings.Join(got, " ") != "a-new b-new old" {
		t.Errorf("got %v", got)
	}
}

func TestDiskClassPrefersTheOneForVirtualMachines(t *testing.T) {
	all := []storagev1.StorageClass{classOf("default", "x", defaultClassAnnotation),
		classOf("vm", "y", virtClassAnnotation)}
	if got := diskClass(all); got == nil || got.Name != "vm" {
		t.Errorf("got %v", got)
	}
	if got := strings.Join(classNames(usedClasses(all)), " "); got != "default vm" {
		t.Errorf("used: %s", got)
	}
	if got := strings.Join(classNames(usedClasses(all[:1])), " "); got != "default" {
		t.Errorf("used without one for virtual machines: %s", got)
	}
	if got := diskClass(nil); got != nil {
		t.Errorf("got %v of nothing", got)
	}
}
