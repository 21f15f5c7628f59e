package prereq

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// JudgeWorkload returns why a Deployment or DaemonSet is not well, and which of its pods keeps it; nil if it is.
func JudgeWorkload(ctx context.Context, r kube.Reader, o client.Object) *step.Finding {
	v := health.Of(o, r.Now())
	if v.OK() {
		return nil
	}
	f := v.Finding
	_, daemons := o.(*appsv1.DaemonSet)
	switch trouble := podTrouble(ctx, r, o.GetNamespace(), o.GetName(), daemons); {
	case trouble == nil:
	case f.State == step.StateBroken:
		f.Message, f.Hint = fmt.Sprintf("%s; %s: %s", f.Message, trouble.Object, trouble.Message), trouble.Hint
	default:
		return trouble
	}
	return &f
}

// PodTrouble looks at the pods of a Deployment that is not ready and says what keeps one of them: Broken where no node
// can ever take it, Pending with Trouble where something is wrong that may heal. Nil where nothing is wrong with them
// as yet, or where they may not be read: what the Deployment says stands then.
func PodTrouble(ctx context.Context, r kube.Reader, namespace, deployment string) *step.Finding {
	return podTrouble(ctx, r, namespace, deployment, false)
}

func podTrouble(ctx context.Context, r kube.Reader, namespace, name string, daemons bool) *step.Finding {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(namespace)); err != nil {
		return nil
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !ownedBy(pod, name, daemons) || pod.DeletionTimestamp != nil {
			continue
		}
		trouble, _ := health.TroubleOf(pod)
		if trouble.Reason == corev1.PodReasonUnschedulable && len(pod.Spec.NodeSelector) > 0 {
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

// ownedBy reports whether the pod is one of the DaemonSet or Deployment. A Deployment's ReplicaSet is named after it
// and the hash of the template.
func ownedBy(pod *corev1.Pod, name string, daemons bool) bool {
	kind := "ReplicaSet"
	if daemons {
		kind = "DaemonSet"
	} else {
		name += "-" + pod.Labels["pod-template-hash"]
	}
	return slices.ContainsFunc(pod.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Kind == kind && o.Name == name
	})
}

// judgeNodeSelector finds a pod that wants labels no node has: only a user can help.
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

// judgePod says what is wrong with a pod, or nothing.
func judgePod(pod *corev1.Pod) *step.Finding {
	trouble, wrong := health.TroubleOf(pod)
	text := fmt.Sprintf("container %s waits: %s", trouble.Container, trouble.Describe())
	switch {
	case !wrong || trouble.Container == "" && trouble.Reason != corev1.PodReasonUnschedulable:
		return nil
	case trouble.Container == "":
		text = "it fits on no node: " + trouble.Message
	}
	f := step.Pending("%s", text).On("Pod %s", kube.Name(pod)).
		WithHint("oc describe pod %s -n %s", pod.Name, pod.Namespace).WithTrouble()
	return &f
}
