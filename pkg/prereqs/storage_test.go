package prereqs

import (
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/google/go-cmp/cmp"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/step"
)

func device(kind, state string, size int64) any {
	return map[string]any{"type": kind, "size": size, "status": map[string]any{"state": state}}
}

func TestCountEmptyDisks(t *testing.T) {
	result := func(node string, status map[string]any) unstructured.Unstructured {
		u := unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"nodeName": node}}}
		if status != nil {
			u.Object["status"] = status
		}
		return u
	}
	const big = int64(100 << 30)
	got := countEmptyDisks([]unstructured.Unstructured{
		result("a", map[string]any{"discoveredDevices": []any{
			device("disk", "Available", big), device("disk", "Available", big), device("disk", "NotAvailable", big),
			device("part", "Available", big), device("disk", "Available", 1<<20),
		}}),
		result("full", map[string]any{}),
		result("silent", nil),
	})
	if diff := cmp.Diff(map[string]int{"a": 2, "full": 0}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWantedVolumes(t *testing.T) {
	for name, tc := range map[string]struct {
		nodes []string
		found map[string]int
		want  int
	}{
		"still empty":              {[]string{"a", "b", "c"}, map[string]int{"a": 3, "b": 3, "c": 2}, 8},
		"all in use":               {[]string{"a", "b", "c"}, map[string]int{"a": 0, "b": 0, "c": 0}, 3},
		"disks of others left out": {[]string{"a"}, map[string]int{"a": 1, "z": 7}, 1},
		"no node":                  {nil, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := wantedVolumes(tc.nodes, tc.found); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestJudgeDisks(t *testing.T) {
	discovery := newDiscovery("openshift-local-storage")
	for name, tc := range map[string]struct {
		found  map[string]int
		silent []string
		want   step.State
		says   string
	}{
		"enough":      {map[string]int{"a": 1, "b": 2, "c": 1}, nil, step.Missing, "4 empty disks on 3 workers"},
		"too few":     {map[string]int{"a": 1, "b": 2, "c": 0}, nil, step.Broken, "2 workers have an empty disk"},
		"not all yet": {map[string]int{"a": 1}, []string{"b", "c"}, step.Pending, "the disks of b, c are not reported yet"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := judgeDisks(discovery, tc.found, tc.silent); f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s with %q", f, tc.want, tc.says)
			}
		})
	}
}

func TestStorageClusterByVersion(t *testing.T) {
	for version, want := range map[string]struct{ marks, systems bool }{
		"4.12.1": {false, true}, "4.14.9": {false, true}, "4.15.0": {true, true}, "4.18.5": {true, true}, "4.19.0": {true, false}, "4.20.1": {true, false},
	} {
		v := semver.MustParse(version)
		_, marked, _ := unstructured.NestedBool(newStorageCluster("ns", 3, v).Object, "spec", "managedResources", "cephBlockPools", "defaultStorageClass")
		if marked != want.marks || hasStorageSystems(v) != want.systems {
			t.Errorf("%s: field %t, StorageSystem %t; want %+v", version, marked, hasStorageSystems(v), want)
		}
	}
}

func storageClusterIn(name, phase string, conditions ...any) unstructured.Unstructured {
	u := *newStorageCluster("ns", 3, semver.MustParse("4.20.0"))
	u.SetName(name)
	u.Object["status"] = map[string]any{"phase": phase, "conditions": conditions}
	return u
}

func condition(conditionType, status, reason, message string) any {
	return map[string]any{"type": conditionType, "status": status, "reason": reason, "message": message}
}

func TestJudgeStorageClusters(t *testing.T) {
	good := []any{condition("ReconcileComplete", "True", "", ""), condition("Available", "True", "", ""), condition("Progressing", "False", "", ""), condition("Degraded", "False", "", "")}
	for name, tc := range map[string]struct {
		list []unstructured.Unstructured
		want step.State
		says string
	}{
		"none":                   {nil, step.Missing, "no StorageCluster"},
		"ready":                  {[]unstructured.Unstructured{storageClusterIn("a", "Ready", good...)}, step.OK, "Ready"},
		"the ignored is ignored": {[]unstructured.Unstructured{storageClusterIn("a", "Ignored"), storageClusterIn("b", "Ready", good...)}, step.OK, "Ready"},
		"ignored alone":          {[]unstructured.Unstructured{storageClusterIn("a", "Ignored")}, step.Broken, "another StorageCluster"},
		"ready, not available":   {[]unstructured.Unstructured{storageClusterIn("a", "Ready", condition("Available", "False", "Why", "that is why"))}, step.Pending, "ReconcileComplete not reported"},
		"error":                  {[]unstructured.Unstructured{storageClusterIn("a", "Error", condition("Degraded", "True", "Why", "that is why"))}, step.Pending, "Error: Degraded True (Why): that is why"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := judgeStorageClusters(tc.list); f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s with %q", f, tc.want, tc.says)
			}
		})
	}
}

func TestSeveralDefaultsNamesThePatch(t *testing.T) {
	class := func(name string) storagev1.StorageClass {
		return storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	f := severalDefaults([]storagev1.StorageClass{class("new"), class("old")}, step.NotThere)
	want := `to keep new: oc patch storageclass old -p '{"metadata":{"annotations":{"storageclass.kubernetes.io/is-default-class":"false"}}}'`
	if f.State != step.Missing || f.Hint != want {
		t.Errorf("got %+v", f)
	}
}

func TestDataFoundationClass(t *testing.T) {
	for name, tc := range map[string]struct {
		class storagev1.StorageClass
		want  bool
	}{
		"block":          {storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "mine"}, Provisioner: "openshift-storage.rbd.csi.ceph.com"}, true},
		"a vendor's":     {storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Provisioner: "csi.vendor.example"}, false},
		"logical volume": {storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "lvms-vg1"}, Provisioner: "topolvm.io"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := dataFoundationClass(&tc.class); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
