package fit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Pod has the scheduling requirements of a pod.
type Pod struct {
	NodeSelector map[string]string
	// AnyOf has lists of alternative labels: the node must have one of each list with the value true.
	AnyOf [][]string
	// Arch is the CPU architecture; "" for any.
	Arch     string
	Affinity *corev1.Affinity
	// Constraints are the topology spread constraints, without those that the caller checks.
	Constraints []corev1.TopologySpreadConstraint
	Tolerations []corev1.Toleration
	Requests    Resources
}

// topologyKeys returns the labels that a node must have with any value: the topology keys of required spread
// constraints and of required pod affinity (kube-scheduler, plugins podtopologyspread and interpodaffinity).
func (p Pod) topologyKeys() []string {
	var keys []string
	for _, c := range p.Constraints {
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			keys = append(keys, c.TopologyKey)
		}
	}
	if p.Affinity != nil && p.Affinity.PodAffinity != nil {
		for _, term := range p.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
			keys = append(keys, term.TopologyKey)
		}
	}
	return keys
}

// PodOf returns the requirements of an existing pod.
func PodOf(pod *corev1.Pod) Pod {
	return Pod{NodeSelector: pod.Spec.NodeSelector, Affinity: pod.Spec.Affinity, Tolerations: pod.Spec.Tolerations,
		Constraints: pod.Spec.TopologySpreadConstraints, Requests: Requests(&pod.Spec)}
}

// Node is a node with the resources that no pod requests.
type Node struct {
	*corev1.Node
	Free Resources
}

// Refusal is the reason why a pod cannot run on a node.
type Refusal struct {
	// Kind is Cordoned, NotReady, Labels, Taint or Resource.
	Kind Kind
	// Detail is the label, the taint, or the names of the resources.
	Detail string
}

// Kind is the kind of a refusal, by the filter that failed.
type Kind int

// The kinds of refusals, in the order in which the filters run.
const (
	Takes Kind = iota
	Cordoned
	NotReady
	Labels
	Taint
	Resource
)

// Refuses returns the first filter that the pod fails on this node; Kind is Takes if the pod can run there.
func (n Node) Refuses(p Pod) Refusal {
	if r := refuses(n.Node, p); r.Kind != Takes {
		return r
	}
	// Resources are not checked until the node reports them.
	if len(n.Status.Allocatable) > 0 {
		if short := n.Free.Short(p.Requests); len(short) > 0 {
			return Refusal{Resource, words(short)}
		}
	}
	return Refusal{}
}

// refuses runs the filters except that of resources.
func refuses(n *corev1.Node, p Pod) Refusal {
	switch {
	case n.Spec.Unschedulable:
		return Refusal{Cordoned, ""}
	case n.DeletionTimestamp != nil:
		return Refusal{NotReady, ""}
	}
	for _, key := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		if value, has := n.Labels[key]; !has || value != p.NodeSelector[key] {
			return Refusal{Labels, key + "=" + p.NodeSelector[key]}
		}
	}
	if arch := n.Labels[corev1.LabelArchStable]; p.Arch != "" && arch != "" && arch != p.Arch {
		return Refusal{Labels, corev1.LabelArchStable + "=" + p.Arch}
	}
	for _, keys := range p.AnyOf {
		if !slices.ContainsFunc(keys, func(key string) bool { return n.Labels[key] == "true" }) {
			return Refusal{Labels, keys[0] + "=true"}
		}
	}
	if a := p.Affinity; a != nil && a.NodeAffinity != nil &&
		!kube.SelectsNode(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution, n) {
		return Refusal{Labels, "those of the node affinity"}
	}
	for _, key := range p.topologyKeys() {
		if _, has := n.Labels[key]; !has {
			return Refusal{Labels, key}
		}
	}
	lifecycle := false
	for _, t := range kube.Untolerated(n, p.Tolerations) {
		if own := strings.HasPrefix(t.Key, "node.kubernetes.io/"); !own {
			return Refusal{Taint, t.ToString()}
		}
		lifecycle = true
	}
	// A node without the condition Ready counts as ready.
	if ready := health.NodeReadyCondition(n); lifecycle || ready != nil && ready.Status != corev1.ConditionTrue {
		return Refusal{NotReady, ""}
	}
	return Refusal{}
}

func words(names []corev1.ResourceName) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = string(n)
	}
	return strings.Join(all, " and ")
}

// Tally counts the nodes that can run a pod, and the refusals of the others.
type Tally struct {
	// Taking are the nodes that can run the pod now. Suitable also includes nodes that lack only free resources.
	Taking, Suitable []Node
	// Workers is the number of nodes, without those that a role taint reserves for the management cluster's control plane.
	// Cordoned has the names of the cordoned workers.
	Workers  int
	Cordoned []string
	refusals map[Refusal]int
}

// Count tallies the nodes for a pod.
func Count(nodes []Node, p Pod) Tally {
	t := Tally{refusals: map[Refusal]int{}}
	for _, n := range nodes {
		r := n.Refuses(p)
		if reservedByRole(n.Node, p) {
			continue
		}
		t.Workers++
		switch r.Kind {
		case Takes:
			t.Taking, t.Suitable = append(t.Taking, n), append(t.Suitable, n)
			continue
		case Resource:
			t.Suitable = append(t.Suitable, n)
		case Cordoned:
			t.Cordoned = append(t.Cordoned, n.Name)
		}
		t.refusals[r]++
	}
	return t
}

// roleTaints is the key prefix of taints that reserve a node for the management cluster's control plane.
const roleTaints = "node-role.kubernetes.io/"

// reservedByRole reports whether a role taint reserves the node for other pods. That is intended, so it is no refusal.
func reservedByRole(n *corev1.Node, p Pod) bool {
	return slices.ContainsFunc(kube.Untolerated(n, p.Tolerations), func(t corev1.Taint) bool {
		return strings.HasPrefix(t.Key, roleTaints)
	})
}

// Passing reports whether a node is refused for a temporary reason: it is cordoned or not ready.
func (t Tally) Passing() bool {
	for r := range t.refusals {
		if r.Kind == Cordoned || r.Kind == NotReady {
			return true
		}
	}
	return false
}

// Most returns the refusal of the largest number of nodes.
func (t Tally) Most() (kind Kind, detail string) {
	highest := 0
	for r, n := range t.refusals {
		if n > highest || n == highest && (r.Kind < kind || r.Kind == kind && r.Detail < detail) {
			highest, kind, detail = n, r.Kind, r.Detail
		}
	}
	return kind, detail
}

// Without returns the tally without refusals of this kind.
func (t Tally) Without(kind Kind) Tally {
	t.refusals = maps.Clone(t.refusals)
	maps.DeleteFunc(t.refusals, func(r Refusal, _ int) bool { return r.Kind == kind })
	return t
}

// String returns the refusals: "3 of 6 workers are cordoned, 2 have taint storage=odf:NoSchedule". It is empty if every
// worker can run the pod.
func (t Tally) String() string {
	all := slices.SortedFunc(maps.Keys(t.refusals), func(a, b Refusal) int {
		if d := int(a.Kind) - int(b.Kind); d != 0 {
			return d
		}
		return strings.Compare(a.Detail, b.Detail)
	})
	var out []string
	for i, r := range all {
		n := t.refusals[r]
		count := fmt.Sprint(n)
		if i == 0 {
			count = fmt.Sprintf("%d of %s", n, plural.Count(t.Workers, "worker"))
		}
		out = append(out, count+" "+r.words(n))
	}
	return strings.Join(out, ", ")
}

// words returns the refusal as a verb phrase for n nodes.
func (r Refusal) words(n int) string {
	are, have, lack := "are", "have", "lack"
	if n == 1 {
		are, have, lack = "is", "has", "lacks"
	}
	switch r.Kind {
	case Cordoned:
		return are + " cordoned"
	case NotReady:
		return are + " not ready"
	case Taint:
		return have + " taint " + r.Detail
	case Labels:
		if strings.Contains(r.Detail, "=") {
			return lack + " label " + r.Detail
		}
		return lack + " labels: " + r.Detail
	}
	return have + " too little " + r.Detail + " free"
}

// Largest returns the node with the most free amount of a resource, and that amount.
func Largest(nodes []Node, name corev1.ResourceName) (node string, free int64) {
	for _, n := range nodes {
		if f := n.Free[name]; node == "" || f > free {
			node, free = n.Name, f
		}
	}
	return node, free
}
