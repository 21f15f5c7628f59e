package prereq

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// PodTrouble looks at the pods of a Deployment that is not ready and says what keeps one of them: Stuck where no node
// can ever take it, Pending with Trouble where something is wrong that may heal. Nil where nothing is wrong with them
// as yet, or where they may not be read: what the Deployment says stands then.
func PodTrouble(ctx context.Context, r kube.Reader, namespace, deployment string) *step.Finding {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(namespace)); err != nil {
		return nil
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !ownedBy(pod, deployment) || pod.DeletionTimestamp != nil {
			continue
		}
		if unschedulable(pod) != "" && len(pod.Spec.NodeSelector) > 0 {
			nodes := &corev1.NodeList{}
			if err := r.List(ctx, nodes); err == nil {
				if f := judgeNodeSelector(pod, nodes.Items); f != nil {
					return f
				}
			}
		}
		if f := judgePod(pod); f != nil {
			return f
		}
	}
	return nil
}

// ownedBy tells whether the pod is one of the Deployment: its ReplicaSet is named after the Deployment and the hash of
// the template.
func ownedBy(pod *corev1.Pod, deployment string) bool {
	for _, o := range pod.OwnerReferences {
		if o.Kind == "ReplicaSet" && o.Name == deployment+"-"+pod.Labels["pod-template-hash"] {
			return true
		}
	}
	return false
}

// judgeNodeSelector finds a pod that wants labels no node has: only a person can help.
func judgeNodeSelector(pod *corev1.Pod, nodes []corev1.Node) *step.Finding {
	selector := labels.SelectorFromSet(pod.Spec.NodeSelector)
	for i := range nodes {
		if selector.Matches(labels.Set(nodes[i].Labels)) {
			return nil
		}
	}
	var wanted []string
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		wanted = append(wanted, key+"="+pod.Spec.NodeSelector[key])
	}
	f := step.Broken("no node has the labels of its spec.nodeSelector, %s", strings.Join(wanted, ",")).
		On("Pod %s", kube.Name(pod)).
		WithHint("oc label node NODE %s, or take the node selector away from what asks for it", strings.Join(wanted, " "))
	return &f
}

// judgePod says what is wrong with a pod, or nothing. Times and counts are left out: the same trouble reads the same.
func judgePod(pod *corev1.Pod) *step.Finding {
	text := unschedulable(pod)
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if text != "" {
			break
		}
		if w := s.State.Waiting; w != nil && w.Reason != "" && w.Reason != "ContainerCreating" &&
			w.Reason != "PodInitializing" {
			text = fmt.Sprintf("container %s waits: %s", s.Name, w.Reason)
			if w.Message != "" {
				text += ": " + w.Message
			}
		}
	}
	if text == "" {
		return nil
	}
	f := step.Pending("%s", text).On("Pod %s", kube.Name(pod)).
		WithHint("oc describe pod %s -n %s", pod.Name, pod.Namespace).WithTrouble()
	return &f
}

// unschedulable is why no node takes the pod now, in the scheduler's words, or nothing.
func unschedulable(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return "it fits on no node: " + c.Message
		}
	}
	return ""
}
