package maintenance

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube/fit"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
)

// place searches a node for each pod that has to leave, the largest first, and takes the first that fits. It considers
// requests, node selectors, required affinity and taints; the scheduler may decide differently.
func (w *snapshot) place() {
	var rooms []fit.Node
	for i := range w.others {
		if n := &w.others[i]; health.NodeReady(n) && !n.Spec.Unschedulable {
			rooms = append(rooms, fit.Node{Node: n, Free: fit.Allocatable(n)})
		}
	}
	for _, p := range w.elsewhere {
		for i := range rooms {
			if rooms[i].Name == p.node {
				rooms[i].Free.Add(p.requests, -1)
			}
		}
	}
	var leaving []*corev1.Pod
	for _, pod := range w.here {
		if !stays(pod) {
			leaving = append(leaving, pod)
		}
	}
	slices.SortStableFunc(leaving, func(a, b *corev1.Pod) int {
		x, y := capacity.Requests(a), capacity.Requests(b)
		return cmp.Or(cmp.Compare(y.Memory, x.Memory), cmp.Compare(y.MilliCPU, x.MilliCPU))
	})
	w.unplaceable = map[*corev1.Pod]string{}
	placed := slices.Clone(w.elsewhere)
	for _, pod := range leaving {
		judged := fit.PodOf(pod)
		suitable, found := 0, false
		for i := range rooms {
			refusal := rooms[i].Refuses(judged).Kind
			if refusal != fit.Takes && refusal != fit.Resource || w.apart(pod, rooms[i].Node, placed) {
				continue
			}
			suitable++
			if refusal == fit.Takes {
				rooms[i].Free.Add(judged.Requests, -1)
				found = true
				placed = append(placed, otherPod{namespace: pod.Namespace, node: rooms[i].Name, labels: pod.Labels})
				break
			}
		}
		switch {
		case found:
		case suitable == 0:
			w.unplaceable[pod] = fmt.Sprintf("none of %s may take it (labels, affinity or taints)",
				plural.Count(len(rooms), "other node"))
		default:
			w.unplaceable[pod] = fmt.Sprintf("no room on %s that may take it: it requests %s",
				plural.Count(suitable, "other node"), capacity.Requests(pod))
		}
	}
}

// apart reports whether a required anti-affinity keeps the pod off the node, because a pod that it must avoid is in the
// same domain.
func (w *snapshot) apart(pod *corev1.Pod, n *corev1.Node, placed []otherPod) bool {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return false
	}
	for _, term := range pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		domain, has := n.Labels[term.TopologyKey]
		if err != nil || !has {
			continue
		}
		namespaces := term.Namespaces
		if len(namespaces) == 0 {
			namespaces = []string{pod.Namespace}
		}
		for i := range placed {
			p := &placed[i]
			if slices.Contains(namespaces, p.namespace) && selector.Matches(labels.Set(p.labels)) &&
				w.domain(p.node, term.TopologyKey) == domain {
				return true
			}
		}
	}
	return false
}

// domain returns the value of the label of another node.
func (w *snapshot) domain(node, key string) string {
	for i := range w.others {
		if w.others[i].Name == node {
			return w.others[i].Labels[key]
		}
	}
	return ""
}
