package storage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeLVMClusters judges the first LVMCluster. There is at most one: its webhook refuses a second.
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
		if problems := lvmProblems(lvm); len(problems) > 0 {
			return step.Pending("state Ready, but %s", strings.Join(problems, "; ")).On("%s", object).WithTrouble().
				WithHint("%s", lvmHint(lvm, problems))
		}
		return step.OK("Ready; %s", lvmConsequence).On("%s", object)
	case "":
		return step.Pending("its operator has not processed it yet").On("%s", object)
	case "Failed", "Degraded":
		message := state + ": " + lvmTrouble(lvm)
		since := failedSince(lvm)
		hint := lvmHint(lvm, []string{message})
		final := strings.Contains(message, "no available devices") || !since.IsZero() && now.Sub(since) >= errorGrace
		unsettled := kube.Unsettled(lvm, since, now)
		if final && unsettled == 0 {
			return step.Broken("%s", message).On("%s", object).WithHint("%s", hint)
		}
		return step.Pending("%s", message).On("%s", object).WithHint("%s", hint).WithTrouble().RecheckAfter(unsettled)
	default:
		return step.Pending("%s: %s", state, lvmTrouble(lvm)).On("%s", object)
	}
}

// failedSince returns when the operator began to report the failed state. Condition VolumeGroupsReady exists since
// 4.17; for earlier versions it is the last status update, or the creation of the LVMCluster.
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

// lvmHint returns the hint for an LVMCluster with problems. vg-manager does not retry a named path by itself (4.12 to
// 5.1).
func lvmHint(lvm *unstructured.Unstructured, problems []string) hint.Text {
	look := fmt.Sprintf("oc describe lvmcluster %s -n %s", lvm.GetName(), lvm.GetNamespace())
	if slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "mandatory device path") }) {
		return hint.New("put the disk back and let vg-manager look again: oc rollout restart daemonset/vg-manager -n %s; "+
			"what else it says: %s", lvm.GetNamespace(), look)
	}
	return hint.New("%s", look)
}

// lvmTrouble joins the problems to one message.
func lvmTrouble(lvm *unstructured.Unstructured) string {
	if problems := lvmProblems(lvm); len(problems) > 0 {
		return strings.Join(problems, "; ")
	}
	return "its operator reports no further detail"
}

// lvmProblems returns the problems of the volume groups, node by node, or else the conditions that are not True.
func lvmProblems(lvm *unstructured.Unstructured) []string {
	var messages []string
	for _, class := range kube.Maps(lvm, "status", "deviceClassStatuses") {
		nodes, _, _ := unstructured.NestedSlice(class, "nodeStatus")
		for _, n := range nodes {
			node, ok := n.(map[string]any)
			if !ok || prereq.Text(node, "status") == "Ready" {
				continue
			}
			messages = append(messages, fmt.Sprintf("%s on %s is %s%s", prereq.Text(class, "name"), prereq.Text(node, "node"),
				strings.TrimSuffix(prereq.Text(node, "status")+": "+prereq.Text(node, "reason"), ": "), excluded(node)))
		}
	}
	if len(messages) == 0 {
		for _, c := range kube.Conditions(lvm) {
			if !c.True() {
				messages = append(messages, c.Describe())
			}
		}
	}
	return messages
}

// excluded returns the disks that a volume group of a node does not take, and why (4.15 and later).
func excluded(node map[string]any) string {
	var words []string
	for _, device := range listOfMaps(node, "excluded") {
		reasons, _, _ := unstructured.NestedStringSlice(device, "reasons")
		words = append(words, prereq.Text(device, "name")+" ("+strings.Join(reasons, ", ")+")")
	}
	if len(words) == 0 {
		return ""
	}
	return "; it does not take " + fewOf(words)
}
