package health

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// NodeReady reports whether the condition Ready is True.
func NodeReady(node *corev1.Node) bool {
	c := NodeReadyCondition(node)
	return c != nil && c.Status == corev1.ConditionTrue
}

// NodeReadyCondition returns the condition Ready of a node, nil if its kubelet has not reported yet.
func NodeReadyCondition(node *corev1.Node) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c
		}
	}
	return nil
}

// joinGrace is the time in which a new node must become ready. Its network plugin starts after it joined.
const joinGrace = 10 * time.Minute

// pressures has the conditions of a node that lacks a resource and evicts pods.
var pressures = []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure}

// judgeNode judges a node by the conditions of its kubelet and its cloud provider.
func judgeNode(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	conditions := kube.Conditions(u)
	v.Hint = Describe(u)
	ready := kube.FindCondition(conditions, string(corev1.NodeReady))
	if !ready.True() {
		if v = v.because(step.StatePending, ready); ready.Status == "" {
			v = v.with(step.StatePending, ReasonNotReported, "its kubelet has not reported yet")
		}
		v.Recheck = max(0, joinGrace-f.now.Sub(u.GetCreationTimestamp().Time))
		if v.Recheck == 0 {
			return v.inTrouble()
		}
		return v
	}
	v.Since = ready.LastTransitionTime
	if c := kube.FindCondition(conditions, string(corev1.NodeNetworkUnavailable)); c.True() {
		return v.because(step.StatePending, c).inTrouble()
	}
	var texts []string
	for _, t := range pressures {
		if c := kube.FindCondition(conditions, string(t)); c.True() {
			v.Reason, v.Since = string(t), c.LastTransitionTime
			texts = append(texts, c.Describe())
		}
	}
	if kube.Flag(u, "spec", "unschedulable") {
		if len(texts) == 0 {
			v.Reason, v.Since = "SchedulingDisabled", cordonedSince(u)
		}
		texts = append(texts, "it is cordoned and takes no new pods")
	}
	if len(texts) == 0 {
		return v
	}
	return v.with(step.StateWarning, v.Reason, "%s", strings.Join(texts, "; "))
}

// cordonedSince returns the time when a node was cordoned; zero if its taints do not have it.
func cordonedSince(u *unstructured.Unstructured) time.Time {
	for _, taint := range kube.Maps(u, "spec", "taints") {
		if taint["key"] == corev1.TaintNodeUnschedulable {
			added, _ := taint["timeAdded"].(string)
			at, _ := time.Parse(time.RFC3339, added)
			return at
		}
	}
	return time.Time{}
}
