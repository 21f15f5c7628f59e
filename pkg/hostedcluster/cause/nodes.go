package cause

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

func (w *Walker) nodes(ctx context.Context) []corev1.Node {
	nodes, _ := once(w, "nodes", func() ([]corev1.Node, error) {
		return kube.ListAll(ctx, w.management, &corev1.NodeList{}, func(l *corev1.NodeList) []corev1.Node { return l.Items })
	})
	return nodes
}

// notReadyNode explains a pod that is not ready, or does not terminate, by its node if that is not ready. The kubelet
// of such a node no longer reports the state of the pod.
func (w *Walker) notReadyNode(ctx context.Context, name string) []Symptom {
	nodes := w.nodes(ctx)
	i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == name })
	if i < 0 || health.NodeReady(&nodes[i]) {
		return nil
	}
	return []Symptom{{Verdict: health.Of(&nodes[i], w.now())}}
}

// unschedulableNodes explains an unschedulable pod by the nodes that accept no pods: cordoned ones, those with a taint
// that the pod does not tolerate, and unhealthy ones. The scheduler's message only counts them.
func (w *Walker) unschedulableNodes(ctx context.Context, pod *corev1.Pod, scheduler string) []Symptom {
	if !strings.Contains(scheduler, "unschedulable") && !strings.Contains(scheduler, "untolerated taint") {
		return nil
	}
	nodes := w.nodes(ctx)
	var cordoned, other []string
	what := ""
	for i := range nodes {
		node := &nodes[i]
		verdict := health.Of(node, w.now())
		switch taint := untolerated(node, pod); {
		case node.Spec.Unschedulable:
			cordoned = append(cordoned, node.Name)
			continue
		case verdict.State != step.StateOK:
			what = verdict.Message
		case taint != "":
			what = "taint " + taint
		default:
			continue
		}
		other = append(other, node.Name)
	}
	names, message, next := cordoned, "cordoned, so that they take no new pods", hint.New("oc adm uncordon %s",
		strings.Join(cordoned, " "))
	if len(cordoned) == 0 {
		names, message, next = other, what, hint.New("oc describe nodes %s", strings.Join(other, " "))
	}
	if len(names) == 0 {
		return nil
	}
	return []Symptom{{Verdict: health.Verdict{Finding: step.Pending("%s: %s; the scheduler: %s",
		plural.Count(len(names), "node"), message, scheduler).On("Nodes %s", strings.Join(names, ", ")).
		WithHint("%s", next).WithTrouble(), Reason: corev1.PodReasonUnschedulable}}}
}

// untolerated returns a taint of a node that a pod does not tolerate; empty if there is none. It ignores the
// node-role.kubernetes.io taints, which are normal on control plane nodes.
func untolerated(node *corev1.Node, pod *corev1.Pod) string {
	for _, t := range kube.Untolerated(node, pod.Spec.Tolerations) {
		if !strings.HasPrefix(t.Key, "node-role.kubernetes.io/") {
			return fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect)
		}
	}
	return ""
}
