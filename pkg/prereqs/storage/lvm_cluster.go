package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	LVMCluster       step.ID = "storage/lvm-cluster"
	removeLVMCluster step.ID = "uninstall/lvm-cluster"
)

const (
	lvmClusterName = "lvmcluster"
	// lvmDeviceClass is the name of the volume group; its StorageClass is called after it.
	lvmDeviceClass = "vg1"
	lvmClassPrefix = "lvms-"
	// lvmConsequence is what a person who chooses LVM Storage has to know.
	lvmConsequence = "its volumes belong to one node each, so worker VMs cannot be migrated live, and hosted clusters " +
		"get no volumes that several nodes share"
)

// lvmCluster makes volume groups on the nodes' empty disks, and a StorageClass on them.
type lvmCluster struct{ common }

func (s lvmCluster) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: LVMCluster, Title: "LVM volume groups", Needs: []step.ID{LVMOperator},
		Check: s.check, Apply: s.apply, Timeout: 20 * time.Minute,
		Rights: prereq.Rights{
			Check: planRights(),
			Apply: []rule.Rule{{Verbs: "get create patch", Resources: "lvmclusters.lvm.topolvm.io", Names: lvmClusterName,
				Features: []rule.Feature{rule.LVMStorage}, Why: "LVM Storage"}},
			Remove: []rule.Rule{{Verbs: "get delete", Resources: "lvmclusters.lvm.topolvm.io", Names: lvmClusterName,
				Features: []rule.Feature{rule.LVMStorage}, Why: "--include-storage: LVM Storage"}},
		},
		Remove: []prereq.Removal{removal.Object{Kind: kube.LVMCluster, Name: lvmClusterName,
			Blocked: claims{}.ofLVM,
			Loss:    allData}.Removal(removeLVMCluster, "LVM volume groups", removeDefaultMark)},
	}
}

func (s lvmCluster) check(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.unneeded(ctx, r, sourceLVM); f != nil {
		return *f
	}
	clusters, err := lvmClusters(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("LVMClusters")
	}
	if len(clusters) > 0 {
		return judgeLVMClusters(clusters, r.Now())
	}
	volumes, err := localDisks(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("PersistentVolumes")
	}
	return judgeRivals(volumes)
}

// judgeRivals says whether disks that are volumes of the Local Storage Operator stand in the way: LVM Storage would
// take those that nobody has written to.
func judgeRivals(volumes []localDisk) step.Finding {
	for _, v := range volumes {
		if v.free() || v.released {
			return step.Broken("disk %s of node %s is a volume of class %s that no claim has, and LVM Storage would take it",
				v.device, v.host, v.class).On("LVMCluster %s", lvmClusterName).
				WithHint("remove what makes the volumes (oc get localvolumeset,localvolume -A), or use them: hcctl bootstrap " +
					"--storage odf")
		}
	}
	return step.Missing("there is no LVMCluster; mind that %s", lvmConsequence).On("LVMCluster %s", lvmClusterName)
}

// lvmClusters lists them; none where the kind is not registered.
func lvmClusters(ctx context.Context, r kube.Reader) ([]unstructured.Unstructured, error) {
	list := kube.LVMCluster.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	return list.Items, nil
}

// judgeLVMClusters looks at the one there can be: its webhook refuses a second.
func judgeLVMClusters(clusters []unstructured.Unstructured, now time.Time) step.Finding {
	if len(clusters) == 0 {
		return step.Missing("there is no LVMCluster").On("LVMCluster %s", lvmClusterName)
	}
	lvm := &clusters[0]
	object := "LVMCluster " + kube.Name(lvm)
	if f := prereq.Deleting(kube.LVMCluster.Kind, lvm); f != nil {
		return *f
	}
	switch state := kube.Text(lvm, "status", "state"); state {
	case "Ready":
		if !kube.Flag(lvm, "status", "ready") {
			return step.Pending("state Ready, but status.ready is not true yet").On("%s", object)
		}
		return step.OK("Ready; %s", lvmConsequence).On("%s", object)
	case "":
		return step.Pending("its operator has not processed it yet").On("%s", object)
	case "Failed", "Degraded":
		message := state + ": " + lvmTrouble(lvm)
		since := failedSince(lvm)
		hint := "oc describe lvmcluster " + lvm.GetName() + " -n " + lvm.GetNamespace()
		if strings.Contains(message, "no available devices") || !since.IsZero() && now.Sub(since) >= errorGrace {
			return step.Broken("%s", message).On("%s", object).WithHint("%s", hint)
		}
		return step.Pending("%s", message).On("%s", object).WithHint("%s", hint).WithTrouble()
	default:
		return step.Pending("%s: %s", state, lvmTrouble(lvm)).On("%s", object)
	}
}

// failedSince is when its operator began to report the state. Condition VolumeGroupsReady comes with 4.17; before, it
// is when the operator last changed the status, or at least not before the LVMCluster was made.
func failedSince(lvm *unstructured.Unstructured) time.Time {
	if c := kube.FindCondition(kube.Conditions(lvm), "VolumeGroupsReady"); !c.LastTransitionTime.IsZero() {
		return c.LastTransitionTime
	}
	since := lvm.GetCreationTimestamp().Time
	for _, f := range lvm.GetManagedFields() {
		if f.Subresource == "status" && f.Time != nil && f.Time.After(since) {
			since = f.Time.Time
		}
	}
	return since
}

// lvmTrouble is what the volume groups say, node by node, or else the conditions that are not True.
func lvmTrouble(lvm *unstructured.Unstructured) string {
	var messages []string
	for _, class := range kube.Maps(lvm, "status", "deviceClassStatuses") {
		nodes, _, _ := unstructured.NestedSlice(class, "nodeStatus")
		for _, n := range nodes {
			node, ok := n.(map[string]any)
			if !ok || prereq.Text(node, "status") == "Ready" {
				continue
			}
			messages = append(messages, fmt.Sprintf("%s on %s is %s", prereq.Text(class, "name"), prereq.Text(node, "node"),
				strings.TrimSuffix(prereq.Text(node, "status")+": "+prereq.Text(node, "reason"), ": ")))
		}
	}
	if len(messages) == 0 {
		for _, c := range kube.Conditions(lvm) {
			if !c.True() {
				messages = append(messages, c.Describe())
			}
		}
	}
	if len(messages) == 0 {
		return "its operator reports no further detail"
	}
	return strings.Join(messages, "; ")
}

func (s lvmCluster) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	namespace, err := lvmOperator(s).namespace(ctx, c)
	if err != nil {
		return "", err
	}
	_, version, err := s.operator(olm.LVMStorage()).Installed(ctx, c)
	if errors.Is(err, olm.ErrNotInstalled) {
		// Its channels follow OpenShift's minor versions.
		version, err = prereq.OpenShift(ctx, c)
	}
	if err != nil {
		return "", err
	}
	return c.Apply(ctx, newLVMCluster(namespace, version))
}

// newLVMCluster takes every empty disk of the nodes that take pods. The thin pool is what snapshots need; its sizes are
// the ones of Red Hat's documents. Field default is there from LVM Storage 4.13 on, fstype from 4.14 on.
func newLVMCluster(namespace string, version *semver.Version) *unstructured.Unstructured {
	class := map[string]any{
		"name": lvmDeviceClass,
		"thinPoolConfig": map[string]any{
			"name": "thin-pool-1", "sizePercent": int64(90), "overprovisionRatio": int64(10),
		},
	}
	if version.Compare(semver.New(4, 13, 0, "", "")) >= 0 {
		class["default"] = true
	}
	if version.Compare(semver.New(4, 14, 0, "", "")) >= 0 {
		class["fstype"] = "xfs"
	}
	return prereq.NewObject(kube.LVMCluster, namespace, lvmClusterName, map[string]any{
		"storage": map[string]any{"deviceClasses": []any{class}},
	})
}

// lvmClasses are the StorageClasses an LVMCluster makes.
func lvmClasses(lvm *unstructured.Unstructured) []string {
	var names []string
	for _, class := range kube.Maps(lvm, "spec", "storage", "deviceClasses") {
		names = append(names, lvmClassPrefix+prereq.Text(class, "name"))
	}
	return names
}

// lvmDefaultClass is the one it marks as default if no other class is; "" if it marks none. That of hcctl's own is for
// that end also where LVM Storage 4.12 cannot be told so.
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

// plannedLVMClasses are the classes of the LVMCluster that is there, or of the one hcctl would create.
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
