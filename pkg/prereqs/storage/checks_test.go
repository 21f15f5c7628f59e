package storage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func profileWith(sets ...any) *unstructured.Unstructured {
	u := kube.StorageProfile.New()
	u.SetName("c")
	u.Object["status"] = map[string]any{"provisioner": "x.example", "claimPropertySets": sets}
	return u
}

func propertySet(mode string, access ...any) any {
	return map[string]any{"accessModes": access, "volumeMode": mode}
}

func TestJudgeProfileAndMigration(t *testing.T) {
	unborn := kube.StorageProfile.New()
	for name, tc := range map[string]struct {
		profile        *unstructured.Unstructured
		want           step.State
		says           string
		wantMigration  step.State
		migrationsSays string
	}{
		"not filled in": {unborn, step.StatePending, "not filled it in", step.StatePending, "not known"},
		"unknown to CDI": {profileWith(), step.StateBroken, "provisioner x.example is not known", step.StatePending,
			"not known"},
		"shared block": {profileWith(propertySet("Block", "ReadWriteMany"), propertySet("Filesystem", "ReadWriteOnce")),
			step.StateOK, "ReadWriteMany Block, ReadWriteOnce Filesystem", step.StateOK, "ReadWriteMany Block"},
		"in one set": {profileWith(propertySet("Block", "ReadWriteOnce", "ReadWriteMany")), step.StateOK,
			"ReadWriteMany Block", step.StateOK, "ReadWriteMany Block"},
		"shared files": {profileWith(propertySet("Filesystem", "ReadWriteMany")), step.StateOK, "ReadWriteMany Filesystem",
			step.StateOK, "as files"},
		"one node's volume": {profileWith(propertySet("Block", "ReadWriteOnce")), step.StateOK, "ReadWriteOnce Block",
			step.StateMissing, "KubeVirtNodesLiveMigratable"},
	} {
		t.Run(name, func(t *testing.T) {
			prereqtest.Expect(t, judgeProfile(tc.profile), tc.want, tc.says)
			prereqtest.Expect(t, judgeMigration(tc.profile), tc.wantMigration, tc.migrationsSays)
		})
	}
}

func TestJudgeBinding(t *testing.T) {
	late, yes := storagev1.VolumeBindingWaitForFirstConsumer, true
	first := classOf("a", "x")
	first.VolumeBindingMode, first.AllowVolumeExpansion = &late, &yes
	for name, tc := range map[string]struct {
		used []storagev1.StorageClass
		want step.State
		says string
	}{
		"none yet":       {nil, step.StateSkipped, "no default class"},
		"first consumer": {[]storagev1.StorageClass{first}, step.StateOK, "WaitForFirstConsumer"},
		"two": {[]storagev1.StorageClass{first, classOf("b", "x")}, step.StateOK,
			"a WaitForFirstConsumer; b Immediate, its volumes cannot be made larger later"},
		"by hand": {[]storagev1.StorageClass{classOf("b", noProvisioner)}, step.StateBroken, "makes no volumes by itself"},
		"buckets": {[]storagev1.StorageClass{classOf("b", "openshift-storage.noobaa.io/obc")}, step.StateBroken,
			"object buckets"},
	} {
		t.Run(name, func(t *testing.T) { prereqtest.Expect(t, judgeBinding(tc.used), tc.want, tc.says) })
	}
}

func TestJudgeSnapshots(t *testing.T) {
	class := func(name, driver string, marked bool) unstructured.Unstructured {
		u := *kube.VolumeSnapshotClass.New()
		u.SetName(name)
		u.Object["driver"] = driver
		if marked {
			u.SetAnnotations(map[string]string{defaultSnapshotAnnotation: "true"})
		}
		return u
	}
	used := []storagev1.StorageClass{classOf("a", "x")}
	for name, tc := range map[string]struct {
		used []storagev1.StorageClass
		all  []unstructured.Unstructured
		want step.State
		says string
		hint string
	}{
		"no class": {nil, nil, step.StateSkipped, "no default class", ""},
		"none": {used, []unstructured.Unstructured{class("s", "other", true)}, step.StateMissing, "none is for driver x",
			""},
		"not marked": {used, []unstructured.Unstructured{class("s", "x", false)}, step.StateMissing,
			"none of driver x is the default one (s)", "oc annotate volumesnapshotclass s " +
				"snapshot.storage.kubernetes.io/is-default-class=true"},
		"marked": {used, []unstructured.Unstructured{class("s", "x", true), class("t", "x", false),
			class("u", "y", true)}, step.StateOK, "s for driver x", ""},
		"twice marked": {used, []unstructured.Unstructured{class("s", "x", true), class("t", "x", true)}, step.StateMissing,
			"2 of driver x are marked as default: s, t", "oc annotate volumesnapshotclass t " +
				"snapshot.storage.kubernetes.io/is-default-class-"},
		"two drivers": {append(used, classOf("b", "y")), []unstructured.Unstructured{class("s", "x", true)},
			step.StateMissing,
			"none is for driver y", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeSnapshots(tc.used, tc.all)
			prereqtest.Expect(t, f, tc.want, tc.says)
			if f.Hint.String() != tc.hint {
				t.Errorf("hint %q, want %q", f.Hint.String(), tc.hint)
			}
		})
	}
}

func TestJudgeEtcd(t *testing.T) {
	for provisioner, want := range map[string]step.State{
		"openshift-storage.rbd.csi.ceph.com": step.StateOK, "topolvm.io": step.StateOK, "csi.vsphere.vmware.com": step.StateOK,
		"k8s-sigs.io/nfs-subdir-external-provisioner": step.StateMissing, "nfs.csi.k8s.io": step.StateMissing,
		"example.com/nfs":                    step.StateMissing,
		"openshift-storage.nfs.csi.ceph.com": step.StateMissing, "openshift-storage.cephfs.csi.ceph.com": step.StateMissing,
		"smb.csi.k8s.io": step.StateMissing,
	} {
		class := classOf("c", provisioner)
		if f := judgeEtcd(&class); f.State != want {
			t.Errorf("%s: got %+v, want %s", provisioner, f, want)
		}
	}
}

func TestJudgeLVMClusters(t *testing.T) {
	now := time.Now()
	lvm := func(state string, ready bool, reason string, conditions ...any) []unstructured.Unstructured {
		u := *newLVMCluster("ns", semver.MustParse("4.18.0"), disk.Held{})
		u.SetCreationTimestamp(metav1.NewTime(now.Add(-time.Hour)))
		u.Object["status"] = map[string]any{"state": state, "ready": ready, "conditions": conditions}
		if reason != "" {
			u.Object["status"].(map[string]any)["deviceClassStatuses"] = []any{map[string]any{"name": "vg1", "nodeStatus": []any{
				map[string]any{"node": "w1", "status": "Ready"}, map[string]any{"node": "w2", "status": "Failed", "reason": reason},
			}}}
		}
		return []unstructured.Unstructured{u}
	}
	groups := func(at time.Time) any {
		return prereqtest.Since(prereqtest.Condition("VolumeGroupsReady", "False", "VGsFailed", "One or more VGs are failed"),
			at)
	}
	const gone = `mandatory device path "/dev/sdb" cannot be used, because it is NOT available as a new device for the ` +
		`volume group and NOT part of a valid and tagged existing volume group`
	// Releases before 4.17 write no conditions: the status's own time counts, else the object's.
	silent := func(written time.Duration) []unstructured.Unstructured {
		list := lvm("Failed", false, "failed to create thin pool")
		if written > 0 {
			at := metav1.NewTime(now.Add(-written))
			list[0].SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "lvms", Subresource: "status", Time: &at},
				{Manager: "person", Time: &metav1.Time{Time: now}}})
		}
		return list
	}
	for name, tc := range map[string]struct {
		list []unstructured.Unstructured
		want step.State
		says string
	}{
		"failed a moment, before 4.17": {silent(time.Minute), step.StatePending, "failed to create thin pool"},
		"failed for long, before 4.17": {silent(30 * time.Minute), step.StateBroken, "failed to create thin pool"},
		"failed, no time told":         {silent(0), step.StateBroken, "failed to create thin pool"},
		"none":                         {nil, step.StateMissing, "no LVMCluster"},
		"fresh":                        {lvm("", false, ""), step.StatePending, "not processed it"},
		"ready":                        {lvm("Ready", true, ""), step.StateOK, "cannot be migrated live"},
		"ready in word":                {lvm("Ready", false, ""), step.StatePending, "status.ready"},
		"ready, and a group of a node is not": {lvm("Ready", true, gone), step.StatePending,
			"state Ready, but vg1 on w2 is Failed: " + gone},
		"ready, and its condition is not": {lvm("Ready", true, "", prereqtest.Condition("VolumeGroupsReady", "False", "VGsDegraded",
			"One or more VGs are degraded")), step.StatePending, "state Ready, but VolumeGroupsReady False (VGsDegraded)"},
		"ready, with groups that are not its own": {lvm("Ready", true, "", prereqtest.Condition("VolumeGroupsReady", "True",
			"VGsUnmanaged", "VGs are unmanaged")), step.StateOK, "Ready"},
		"a disk went away":          {lvm("Degraded", false, gone, groups(now)), step.StatePending, gone},
		"a disk went away long ago": {lvm("Degraded", false, gone, groups(now.Add(-time.Hour))), step.StateBroken, gone},
		"progressing": {lvm("Progressing", false, "",
			prereqtest.Condition("ResourcesAvailable", "False", "ReconciliationInProgress",
				"in progress")), step.StatePending,
			"Progressing: ResourcesAvailable False (ReconciliationInProgress): in progress"},
		"no disks": {lvm("Failed", false, "the volume group vg1 does not exist, and there were no available "+
			"devices to create it", groups(now)), step.StateBroken, "vg1 on w2 is Failed: the volume group"},
		"failed a moment": {lvm("Failed", false, "failed to create thin pool", groups(now)), step.StatePending,
			"vg1 on w2 is Failed: failed to create thin pool"},
		"failed for long": {lvm("Failed", false, "failed to create thin pool", groups(now.Add(-time.Hour))), step.StateBroken,
			"failed to create thin pool"},
		"degraded in word": {lvm("Degraded", false, "", groups(now)), step.StatePending,
			"Degraded: VolumeGroupsReady False (VGsFailed)"},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeLVMClusters(tc.list, now)
			prereqtest.Expect(t, f, tc.want, tc.says)
			if back := strings.Contains(f.Hint.String(), "oc rollout restart daemonset/vg-manager -n ns"); back != (strings.Contains(tc.says, gone)) {
				t.Errorf("hint %q", f.Hint)
			}
		})
	}
}

func TestStorageModes(t *testing.T) {
	c, err := kube.New(&rest.Config{Host: "https://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range with(Options{Mode: ModeNone}) {
		prereqtest.Expect(t, s.Check(t.Context(), c), step.StateSkipped, "--storage none")
	}
	installs := map[step.ID]bool{LocalStorageOperator: true, DataFoundation: true, LocalVolumes: true, Cluster: true,
		LVMOperator: true, LVMCluster: true}
	for _, s := range with(Options{Mode: ModeExisting}) {
		if installs[s.ID] {
			prereqtest.Expect(t, s.Check(t.Context(), c), step.StateOK, "--storage existing")
		}
		if s.ID == DefaultClass && s.Apply != nil {
			t.Error("--storage existing marks a class")
		}
	}
}

func TestLVMClusterHasTheFieldsOfItsVersion(t *testing.T) {
	one, two := []string{"w1"}, []string{"w1", "w2"}
	for _, tc := range []struct {
		version, hosts, paths string
		isDefault, fstype     bool
	}{
		{"4.12.3", "w1 w2", "paths", false, false}, {"4.13.0", "w1 w2", "paths", true, false},
		{"4.14.0", "w1 w2", "optionalPaths", true, true}, {"4.14.0", "w1", "paths", true, true},
		{"4.21.1", "w1 w2", "optionalPaths", true, true}, {"5.0.0", "w1 w2", "optionalPaths", true, true},
	} {
		held := disk.Held{Paths: []string{"/dev/sdb"}, Hosts: one}
		if tc.hosts != "w1" {
			held.Hosts = two
		}
		lvm := newLVMCluster("ns", semver.MustParse(tc.version), held)
		class := kube.Maps(lvm, "spec", "storage", "deviceClasses")[0]
		_, isDefault := class["default"]
		_, fstype := class["fstype"]
		if isDefault != tc.isDefault || fstype != tc.fstype {
			t.Errorf("%s: default %t, fstype %t", tc.version, isDefault, fstype)
		}
		paths, _, _ := unstructured.NestedStringSlice(class, "deviceSelector", tc.paths)
		hosts, ok := selectedHosts(class, "nodeSelector")
		if !slices.Equal(paths, held.Paths) || !ok || !slices.Equal(hosts, held.Hosts) {
			t.Errorf("%s on %s: it takes %v on %v", tc.version, tc.hosts, class["deviceSelector"], hosts)
		}
		lvm.SetLabels(map[string]string{kube.ManagedByLabel: kube.FieldOwner})
		if got := lvmDefaultClass(lvm); got != "lvms-vg1" {
			t.Errorf("%s: the default class of hcctl's own LVMCluster is %q", tc.version, got)
		}
	}
}
