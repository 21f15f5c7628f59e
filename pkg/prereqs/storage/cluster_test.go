package storage

import (
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestStorageClusterByVersion(t *testing.T) {
	for version, want := range map[string]struct{ marks, systems bool }{
		"4.12.1": {false, true}, "4.14.9": {false, true}, "4.15.0": {true, true}, "4.18.5": {true, true},
		"4.19.0": {true, false}, "4.20.1": {true, false},
	} {
		v := semver.MustParse(version)
		if marksDefaultClass(v) != want.marks || hasStorageSystems(v) != want.systems {
			t.Errorf("%s: field %t, StorageSystem %t; want %+v", version, marksDefaultClass(v), hasStorageSystems(v), want)
		}
	}
}

// The fields of the CRD by version, and not where others are the default classes already.
func TestWhichDefaultsAStorageClusterIsAskedFor(t *testing.T) {
	other := classOf("other", "x", defaultClassAnnotation)
	virtual := classOf("virtual", "x", virtClassAnnotation)
	for name, tc := range map[string]struct {
		version string
		classes []storagev1.StorageClass
		want    string
	}{
		"4.14":                   {"4.14.1", nil, ""},
		"4.15":                   {"4.15.0", nil, "defaultStorageClass"},
		"4.18 marks it anyway":   {"4.18.9", nil, "defaultStorageClass"},
		"4.19":                   {"4.19.0", nil, "defaultStorageClass defaultVirtualizationStorageClass"},
		"a default is there":     {"4.20.0", []storagev1.StorageClass{other}, "defaultVirtualizationStorageClass"},
		"one for virtual ones":   {"4.20.0", []storagev1.StorageClass{virtual}, "defaultStorageClass"},
		"both are there already": {"4.20.0", []storagev1.StorageClass{other, virtual}, ""},
	} {
		got := strings.Join(storageCluster{}.switches(semver.MustParse(tc.version), tc.classes), " ")
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestNewStorageClusterOwnsTheFieldOnlyIfItMeansIt(t *testing.T) {
	sc := newStorageCluster("ns", localClass, spread{flexible: true, count: 3, replica: 1})
	setBlockPools(sc)
	if _, exists, _ := unstructured.NestedMap(sc.Object, "spec", "managedResources"); exists {
		t.Error("managedResources is set without being asked for")
	}
	setBlockPools(sc, "defaultStorageClass")
	if !kube.Flag(sc, defaultField()...) {
		t.Error("the default class is not asked for")
	}
	if count, _, _ := unstructured.NestedFieldNoCopy(sc.Object, "spec", "storageDeviceSets"); count == nil {
		t.Error("the device sets were lost")
	}
}

func TestWhoseClassIsTheDefault(t *testing.T) {
	other := classOf("other", "x", defaultClassAnnotation)
	dead := classOf("dead", noProvisioner, defaultClassAnnotation)
	for name, tc := range map[string]struct {
		chosen  string
		classes []storagev1.StorageClass
		want    bool
	}{
		"none there":               {"", nil, true},
		"another is kept":          {"", []storagev1.StorageClass{other}, false},
		"one of no use":            {"", []storagev1.StorageClass{dead}, true},
		"chosen over another":      {"ocs-storagecluster-ceph-rbd", []storagev1.StorageClass{other}, true},
		"another of Ceph's chosen": {"ocs-storagecluster-cephfs", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := storageCluster{common{o: Validated{Options: Options{DefaultClass: tc.chosen}}}}
			if got := s.wantsDefault(tc.classes); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func storageClusterIn(name, phase string, conditions ...any) unstructured.Unstructured {
	u := *newStorageCluster("ns", localClass, spread{flexible: true, count: 3, replica: 1})
	u.SetName(name)
	u.Object["status"] = map[string]any{"phase": phase, "conditions": conditions}
	return u
}

func TestJudgeStorageClusters(t *testing.T) {
	now := time.Now()
	good := []any{prereqtest.Condition("ReconcileComplete", "True", "", ""),
		prereqtest.Condition("Available", "True", "", ""), prereqtest.Condition("Progressing", "False", "", ""),
		prereqtest.Condition("Degraded", "False", "", "")}
	failing := func(at time.Time, message string) []unstructured.Unstructured {
		return []unstructured.Unstructured{storageClusterIn("a", "Error",
			append([]any{prereqtest.Since(prereqtest.Condition("ReconcileComplete", "False", "ReconcileFailed", message),
				at)}, good[1:]...)...)}
	}
	// StorageClasses that are skipped leave the phase and the other conditions as they are during an installation.
	waiting := func(at time.Time, message string) []unstructured.Unstructured {
		list := failing(at, message)
		list[0].Object["status"].(map[string]any)["phase"] = "Progressing"
		return list
	}
	lately := failing(now.Add(-time.Hour), "error while reconciling: Not enough nodes found: Expected 3, found 2")
	lately[0].SetManagedFields([]metav1.ManagedFieldsEntry{{Time: &metav1.Time{Time: now.Add(-time.Second)},
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}})
	skipped := "error while reconciling: some StorageClasses were skipped while waiting for pre-requisites to be met"
	for name, tc := range map[string]struct {
		list []unstructured.Unstructured
		want step.State
		says string
	}{
		"none":  {nil, step.StateMissing, "no StorageCluster"},
		"ready": {[]unstructured.Unstructured{storageClusterIn("a", "Ready", good...)}, step.StateOK, "Ready"},
		"the ignored is ignored": {[]unstructured.Unstructured{storageClusterIn("a", "Ignored"),
			storageClusterIn("b", "Ready", good...)}, step.StateOK, "Ready"},
		"ignored alone": {[]unstructured.Unstructured{storageClusterIn("a", "Ignored")}, step.StateBroken,
			"another StorageCluster"},
		"fresh": {[]unstructured.Unstructured{storageClusterIn("a", "")}, step.StatePending, "not processed it"},
		"progressing": {[]unstructured.Unstructured{storageClusterIn("a", "Progressing",
			prereqtest.Condition("Progressing", "True", "Why",
				"1 of 3 OSDs"))}, step.StatePending, "Progressing: Progressing True (Why): 1 of 3 OSDs"},
		"ready, not available": {[]unstructured.Unstructured{storageClusterIn("a", "Ready",
			prereqtest.Condition("Available", "False", "Why", "that is why"))}, step.StatePending,
			"ReconcileComplete not reported"},
		"error, no time told": {[]unstructured.Unstructured{storageClusterIn("a", "Error",
			prereqtest.Condition("Degraded", "True", "Why",
				"that is why"))}, step.StatePending, "Error: Degraded True (Why): that is why"},
		"error of a while": {failing(now.Add(-time.Minute), skipped), step.StatePending,
			"Error: ReconcileComplete False (ReconcileFailed): " + skipped},
		"error that stands": {failing(now.Add(-time.Hour), skipped), step.StateBroken,
			"Error for 1h0m0s: ReconcileComplete False (ReconcileFailed): " + skipped},
		"classes skipped for a while": {waiting(now.Add(-time.Minute), skipped), step.StatePending,
			"Progressing: ReconcileComplete False (ReconcileFailed): " + skipped},
		"classes skipped for long": {waiting(now.Add(-time.Hour), skipped), step.StateBroken,
			"Progressing for 1h0m0s: ReconcileComplete False (ReconcileFailed): " + skipped},
		"an old error, while its operator waits": {waiting(now.Add(-time.Hour), "error while reconciling: old"), step.StatePending,
			"Progressing: its operator waits; the error in its conditions is an old one: ReconcileComplete False (ReconcileFailed)"},
		"too few nodes of before": {waiting(now.Add(-time.Hour), "Not enough nodes found: Expected 3, found 2"),
			step.StatePending, "an old one"},
		"too few nodes": {failing(now, "error while reconciling: Not enough nodes found: Expected 3, found 2"),
			step.StateBroken, "Expected 3, found 2"},
		"too few nodes, and changed since": {lately, step.StatePending, "Expected 3, found 2"},
		"a version too new": {[]unstructured.Unstructured{storageClusterIn("a", "Error",
			prereqtest.Condition("VersionMismatch", "True", "ValidationFailed", "downgrade"))}, step.StateBroken, "Error"},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeStorageClusters(tc.list, now)
			prereqtest.Expect(t, f, tc.want, tc.says)
			if f.State == step.StateBroken && f.Hint.String() == "" {
				t.Error("broken without a hint")
			}
		})
	}
	if f := judgeStorageClusters(failing(now.Add(-time.Minute), skipped), now); !f.Trouble {
		t.Errorf("an error is waited for as if nothing were wrong: %+v", f)
	}
}

func TestSeveralDefaultsNamesTheCommands(t *testing.T) {
	f := severalDefaults([]storagev1.StorageClass{classOf("new", "x"), classOf("old", "x")}, step.Missing)
	for _, want := range []string{"hcctl bootstrap --default-storage-class new ",
		`oc patch storageclass old -p '{"metadata":{"annotations":{` +
			`"storageclass.kubernetes.io/is-default-class":"false"}}}'`} {
		if f.State != step.StateMissing || !strings.Contains(f.Hint.String(), want) {
			t.Errorf("got %+v, want hint with %q", f, want)
		}
	}
}

func TestJudgeSingle(t *testing.T) {
	for name, tc := range map[string]struct {
		classes []storagev1.StorageClass
		want    step.State
		says    string
	}{
		"none": {nil, step.StateOK, ""},
		"one of each": {[]storagev1.StorageClass{classOf("a", "x", defaultClassAnnotation),
			classOf("b", "x", virtClassAnnotation)}, step.StateOK, ""},
		"two": {[]storagev1.StorageClass{classOf("a", "x", defaultClassAnnotation),
			classOf("b", "x", betaDefaultClassAnnotation)}, step.StateMissing, "2 classes are marked as default: a, b"},
		"two for disks": {[]storagev1.StorageClass{classOf("a", "x", virtClassAnnotation),
			classOf("b", "x", virtClassAnnotation)}, step.StateMissing, "default for virtual machines: a, b"},
	} {
		t.Run(name, func(t *testing.T) { prereqtest.Expect(t, judgeSingle(tc.classes), tc.want, tc.says) })
	}
}
