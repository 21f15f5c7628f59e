package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/Masterminds/semver/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	LVMCluster       step.ID = "storage/lvm-cluster"
	removeLVMCluster step.ID = "uninstall/lvm-cluster"
)

const (
	lvmClusterName = "lvmcluster"
	// lvmDeviceClass names the volume group. The name of its StorageClass ends in it.
	lvmDeviceClass = "vg1"
	lvmClassPrefix = "lvms-"
	// lvmConstraints names the SecurityContextConstraints of vg-manager. The operator looks for another name when it
	// removes them, so they stay behind.
	lvmConstraints = "lvms-vgmanager"
	// lvmConsequence is the warning for users who choose LVM Storage.
	lvmConsequence = "its volumes belong to one node each, so worker VMs cannot be migrated live, and hosted clusters " +
		"get no volumes that several nodes share"
)

// lvmCluster makes volume groups on the approved disks of the nodes, and a StorageClass on them.
type lvmCluster struct{ common }

func (s lvmCluster) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: LVMCluster, Title: "LVM volume groups", Needs: []step.ID{LVMOperator, LocalStorageOperator},
		Check: s.check, Apply: s.apply, Timeout: 20 * time.Minute,
		// The paths of the device class are replaced only with Grow.
		Replaces: []string{"spec.storage.deviceClasses"},
		Rights: prereq.Rights{
			Check: append(slices.Concat(planRights(), listVolumes(), prereq.ReadWorkloads(), olm.CheckRights()),
				prereq.ReadSettings(kube.LVMCluster)),
			Apply: []access.Rule{discoverDisks(), writeLVMCluster()},
			Remove: []access.Rule{{Verbs: "get delete", Resources: "lvmclusters.lvm.topolvm.io", Names: lvmClusterName,
				Features: []access.Feature{access.LVMStorage},
				Why:      fmt.Sprintf("%s: LVM Storage", hint.Flag("include-storage"))}},
		},
		Effects: []prereq.Effect{{By: "LVM Storage's operator", Kind: kube.SecurityContextConstraints, Name: lvmConstraints,
			For: kube.LVMCluster, Does: "privileged pods of service account vg-manager in its namespace are admitted",
			Remove: "oc delete scc " + lvmConstraints}},
		Remove: []prereq.Removal{s.object().Removal(removeLVMCluster, "LVM volume groups", removeDefaultMark)},
	}
}

// writeLVMCluster returns the right to write the LVMCluster of hcctl.
func writeLVMCluster() access.Rule {
	return access.Rule{Verbs: "get create patch", Resources: "lvmclusters.lvm.topolvm.io", Names: lvmClusterName,
		Features: []access.Feature{access.LVMStorage}, Why: "LVM Storage"}
}

func (s lvmCluster) object() removal.Object { return guarded(kube.LVMCluster, lvmClusterName) }

func (s lvmCluster) check(ctx context.Context, r kube.Reader) step.Finding {
	r.Prefetch(ctx, diskKinds()...)
	if f := s.unneeded(ctx, r, sourceLVM); f != nil {
		return *f
	}
	clusters, err := lvmClusters(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("LVMClusters")
	}
	t := s.lvmTaker(ctx, r, clusters)
	if len(clusters) == 0 {
		f := s.checkDiscovery(ctx, r, t)
		if f.State == step.StateMissing {
			f.Message = "there is no LVMCluster; " + f.Message + "; mind that " + lvmConsequence
		}
		return s.o.LVMSpec.Judge(ctx, r, kube.LVMCluster, nil, f)
	}
	found := s.explained(ctx, r, &clusters[0], judgeLVMClusters(clusters, r.Now()))
	if grows, _ := growableClass(&clusters[0]); grows == nil || found.State != step.StateOK && !s.o.Grow {
		return found
	}
	f, err := s.diskFacts(ctx, r, t)
	if err != nil {
		return kube.Unknown(err)
	}
	return s.spare(f, t, found)
}

// explained adds the cause to the finding about an LVMCluster that is not ready. The cause is a device class that
// selects no node, which LVM Storage does not report, or a workload on the nodes (topolvm's own workloads exist up to
// 4.15).
func (s lvmCluster) explained(ctx context.Context, r kube.Reader, lvm *unstructured.Unstructured,
	f step.Finding) step.Finding {
	if f.State != step.StatePending || lvm.GetDeletionTimestamp() != nil {
		return f
	}
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return f
	}
	for _, class := range kube.Maps(lvm, "spec", "storage", "deviceClasses") {
		selector := disk.SelectorIn(class, "nodeSelector")
		selects := func(n corev1.Node) bool { return kube.SelectsNode(selector, &n) }
		if selector != nil && !slices.ContainsFunc(nodes, selects) {
			return step.Broken("the nodeSelector of its device class %s selects no node: %s", prereq.Text(class, "name"),
				f.Message).On("%s", f.Object).WithHint("oc get lvmcluster %s -n %s -o yaml; oc get nodes --show-labels",
				lvm.GetName(), lvm.GetNamespace())
		}
	}
	return explained(ctx, r, f, lvm.GetNamespace(), "vg-manager", "topolvm-node", "topolvm-controller")
}

// lvmTaker returns the taker for the LVMCluster that hcctl made, or for a new one. Before 4.14, each path must exist on
// every node of the device class.
func (s common) lvmTaker(ctx context.Context, r kube.Reader, clusters []unstructured.Unstructured) taker {
	t := taker{title: olm.LVMStorage().Title, flags: hint.Args{hint.Flag("storage"), "lvms"}, step: LVMCluster,
		minNodes: 1}
	if len(clusters) > 0 {
		if class, hosts := growableClass(&clusters[0]); class != nil {
			required, optional := pathsOf(class)
			t.held = disk.Held{Paths: slices.Concat(required, optional), Hosts: hosts, Closed: true,
				Everywhere: len(optional) == 0}
		}
		return t
	}
	if version, err := s.lvmVersion(ctx, r); err == nil { // else the operator's step says why
		t.held.Everywhere = !hasOptionalPaths(version)
	}
	return t
}

// growableClass returns the device class that names its disks, of an LVMCluster that hcctl made, and the hostnames of
// its nodes. LVM Storage refuses further nodes, and paths in a class that had none.
func growableClass(lvm *unstructured.Unstructured) (class map[string]any, hosts []string) {
	for _, class := range kube.Maps(lvm, "spec", "storage", "deviceClasses") {
		hosts, ok := selectedHosts(class, "nodeSelector")
		required, optional := pathsOf(class)
		if ok && len(hosts) > 0 && len(required)+len(optional) > 0 && ofHcctl(lvm) &&
			prereq.Text(class, "name") == lvmDeviceClass {
			return class, hosts
		}
	}
	return nil, nil
}

func pathsOf(class map[string]any) (required, optional []string) {
	required, _, _ = unstructured.NestedStringSlice(class, "deviceSelector", "paths")
	optional, _, _ = unstructured.NestedStringSlice(class, "deviceSelector", "optionalPaths")
	return required, optional
}

// lvmClusters lists the LVMClusters. The list is empty if the kind is not registered.
func lvmClusters(ctx context.Context, r kube.Reader) ([]unstructured.Unstructured, error) {
	list := kube.LVMCluster.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	return list.Items, nil
}

func (s lvmCluster) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	clusters, err := lvmClusters(ctx, c)
	if err != nil {
		return "", err
	}
	t := s.lvmTaker(ctx, c, clusters)
	if len(clusters) > 0 {
		return s.grow(ctx, c, &clusters[0], t)
	}
	if _, made, err := s.discover(ctx, c); err != nil || made != "" {
		return made, err
	}
	namespace, err := lvmOperator(s).namespace(ctx, c)
	if err != nil {
		return "", err
	}
	version, err := s.lvmVersion(ctx, c)
	if err != nil {
		return "", err
	}
	f, err := s.agreed(ctx, c, t)
	if err != nil || f == nil {
		return step.Unchanged, err
	}
	lvm := newLVMCluster(namespace, version, plus(t.held, *f))
	spec, _ := lvm.Object["spec"].(map[string]any)
	lvm.Object["spec"] = s.o.LVMSpec.In(spec)
	return c.Apply(ctx, lvm)
}

// grow adds the disks of the plan to the LVMCluster that hcctl made. A merge patch replaces whole lists, so it writes
// the whole list, with the resource version that was read.
func (s lvmCluster) grow(ctx context.Context, c *kube.Client, lvm *unstructured.Unstructured,
	t taker) (step.Change, error) {
	if class, _ := growableClass(lvm); class == nil || !s.o.Grow {
		return step.Unchanged, nil
	}
	f, err := s.agreed(ctx, c, t)
	if err != nil || f == nil || len(f.plan.Taken()) == 0 {
		return step.Unchanged, err
	}
	key := "optionalPaths"
	if t.held.Everywhere {
		key = "paths"
	}
	classes := kube.Maps(lvm, "spec", "storage", "deviceClasses")
	for _, class := range classes {
		selector, named := class["deviceSelector"].(map[string]any)
		if named && prereq.Text(class, "name") == lvmDeviceClass {
			paths, _, _ := unstructured.NestedStringSlice(selector, key)
			selector[key] = plus(disk.Held{Paths: paths}, *f).Paths
		}
	}
	return patchDeviceClasses(ctx, c, lvm, classes)
}

// patchDeviceClasses writes the list of device classes. It fails with a conflict if the LVMCluster has changed since it
// was read.
func patchDeviceClasses(ctx context.Context, c *kube.Client, lvm *unstructured.Unstructured,
	classes []map[string]any) (step.Change, error) {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": lvm.GetResourceVersion()},
		"spec":     map[string]any{"storage": map[string]any{"deviceClasses": classes}},
	})
	if err != nil {
		return "", fmt.Errorf("LVMCluster %s: %w", kube.Name(lvm), err)
	}
	return prereq.MergePatch(ctx, c, lvm, string(patch))
}

// lvmVersion returns the version of LVM Storage, which follows OpenShift's minor versions. If LVM Storage is not
// installed, it returns OpenShift's version.
func (s common) lvmVersion(ctx context.Context, r kube.Reader) (*semver.Version, error) {
	_, version, err := s.operator(olm.LVMStorage()).Installed(ctx, r)
	if errors.Is(err, olm.ErrNotInstalled) {
		return prereq.OpenShift(ctx, r)
	}
	return version, err
}

// hasOptionalPaths reports whether a device class can have paths that do not exist on each of its nodes (4.14 and
// later).
func hasOptionalPaths(version *semver.Version) bool {
	return version.Compare(semver.New(4, 14, 0, "", "")) >= 0
}

// newLVMCluster returns an LVMCluster on exactly these disks.
//
// Without a deviceSelector LVM Storage takes every empty disk, up to 4.22 also disks that are added later. On several
// nodes the paths are optional, because a volume group fails on a node that lacks a required path.
//
// Snapshots need the thin pool; its sizes are those of Red Hat's documents. Field default exists since LVM Storage
// 4.13, fstype and optionalPaths since 4.14.
func newLVMCluster(namespace string, version *semver.Version, held disk.Held) *unstructured.Unstructured {
	key := "paths"
	if len(held.Hosts) > 1 && hasOptionalPaths(version) {
		key = "optionalPaths"
	}
	class := map[string]any{
		"name": lvmDeviceClass,
		"thinPoolConfig": map[string]any{
			"name": "thin-pool-1", "sizePercent": int64(90), "overprovisionRatio": int64(10),
		},
		"deviceSelector": map[string]any{key: anyList(held.Paths)},
		"nodeSelector":   hosts(held.Hosts),
	}
	if version.Compare(semver.New(4, 13, 0, "", "")) >= 0 {
		class["default"] = true
	}
	if version.Compare(semver.New(4, 14, 0, "", "")) >= 0 {
		class["fstype"] = "xfs"
	}
	return prereq.NewObject(kube.LVMCluster, namespace, lvmClusterName, map[string]any{
		"tolerations": storageTolerations(),
		"storage":     map[string]any{"deviceClasses": []any{class}},
	})
}

// lvmClasses returns the names of the StorageClasses that an LVMCluster makes.
func lvmClasses(lvm *unstructured.Unstructured) []string {
	var names []string
	for _, class := range kube.Maps(lvm, "spec", "storage", "deviceClasses") {
		names = append(names, lvmClassPrefix+prereq.Text(class, "name"))
	}
	return names
}

// lvmDefaultClass returns the class that an LVMCluster marks as default if no other class is marked, or "". The only
// class of hcctl's LVMCluster counts too, because LVM Storage 4.12 has no field for the mark.
func lvmDefaultClass(lvm *unstructured.Unstructured) string {
	for _, class := range kube.Maps(lvm, "spec", "storage", "deviceClasses") {
		if on, _ := class["default"].(bool); on {
			return lvmClassPrefix + prereq.Text(class, "name")
		}
	}
	if names := lvmClasses(lvm); ofHcctl(lvm) && len(names) == 1 {
		return names[0]
	}
	return ""
}

// plannedLVMClasses returns the classes of the existing LVMClusters, or of the one that hcctl would create.
func (f storageFacts) plannedLVMClasses() []string {
	var names []string
	for i := range f.lvmClusters {
		names = append(names, lvmClasses(&f.lvmClusters[i])...)
	}
	if len(names) == 0 {
		return []string{lvmClassPrefix + lvmDeviceClass}
	}
	return names
}
