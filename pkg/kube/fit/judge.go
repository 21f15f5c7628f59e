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

// Pod is what decides on which nodes a pod may run.
type Pod struct {
	NodeSelector map[string]string
	// AnyOf are further labels as alternatives: one of each list has to be on the node with the value true.
	AnyOf [][]string
	// Arch is its processor architecture; empty for any.
	Arch     string
	Affinity *corev1.Affinity
	// Constraints are the spreads that it asks for, without those that are counted elsewhere.
	Constraints []corev1.TopologySpreadConstraint
	Tolerations []corev1.Toleration
	Requests    Resources
}

// topologyKeys are the labels that a node has to have, whatever their values: those of the spread that the pod
// requires, and of the pods that it has to stand beside (kube-scheduler, plugins podtopologyspread and
// interpodaffinity).
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

// PodOf is a pod that exists.
func PodOf(pod *corev1.Pod) Pod {
	return Pod{NodeSelector: pod.Spec.NodeSelector, Affinity: pod.Spec.Affinity, Tolerations: pod.Spec.Tolerations,
		Constraints: pod.Spec.TopologySpreadConstraints, Requests: Requests(&pod.Spec)}
}

// Node is a node with what no pod requests of it.
type Node struct {
	*corev1.Node
	Free Resources
}

// Refusal is why a node does not take a pod.
type Refusal struct {
	// Kind is Cordoned, NotReady, Labels, Taint or Resource.
	Kind Kind
	// Detail is the label, the taint, or the names of the resources.
	Detail string
}

// Kind is the kind of a refusal.
type Kind int

// The kinds of refusals, in the order in which they are looked for.
const (
	Takes Kind = iota
	Cordoned
	NotReady
	Labels
	Taint
	Resource
)

// Refuses reports why the node does not take the pod, by the first filter that it does not pass; Kind is Takes if it
// takes it.
func (n Node) Refuses(p Pod) Refusal {
	if r := refuses(n.Node, p); r.Kind != Takes {
		return r
	}
	// A node that reports nothing yet is not judged by it.
	if len(n.Status.Allocatable) > 0 {
		if short := n.Free.Short(p.Requests); len(short) > 0 {
			return Refusal{Resource, words(short)}
		}
	}
	return Refusal{}
}

// refuses is Refuses without resources.
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
	// A node that has not reported is not judged by it.
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

// Tally counts the nodes that may take a pod, and why the others may not.
type Tally struct {
	// Taking may take the pod now, and Suitable would if enough were free: Taking is among them.
	Taking, Suitable []Node
	// Workers is how many nodes there are without those that a taint of a role keeps for the control plane of the
	// management cluster, and Cordoned the names of those of them that are.
	Workers  int
	Cordoned []string
	refusals map[Refusal]int
}

// Count tallies the nodes for a pod.
func Count(nodes []Node, p Pod) Tally {
	t := Tally{refusals: map[Refusal]int{}}
	for _, n := range nodes {
		r := n.Refuses(p)
		if forOthers(n.Node, p) {
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

// roleTaints begin the keys of the taints that keep a node for the management cluster's own control plane.
const roleTaints = "node-role.kubernetes.io/"

// forOthers reports whether a taint of a role keeps the pod away, which is as it should be.
func forOthers(n *corev1.Node, p Pod) bool {
	return slices.ContainsFunc(kube.Untolerated(n, p.Tolerations), func(t corev1.Taint) bool {
		return strings.HasPrefix(t.Key, roleTaints)
	})
}

// Passing reports whether a node is left out for what passes: it is cordoned, or not ready.
func (t Tally) Passing() bool {
	for r := range t.refusals {
		if r.Kind == Cordoned || r.Kind == NotReady {
			return true
		}
	}
	return false
}

// Most is what keeps the most nodes away.
func (t Tally) Most() (kind Kind, detail string) {
	most := 0
	for r, n := range t.refusals {
		if n > most || n == most && (r.Kind < kind || r.Kind == kind && r.Detail < detail) {
			most, kind, detail = n, r.Kind, r.Detail
		}
	}
	return kind, detail
}

// Without is the tally without what is refused for this kind of reason.
func (t Tally) Without(kind Kind) Tally {
	t.refusals = maps.Clone(t.refusals)
	maps.DeleteFunc(t.refusals, func(r Refusal, _ int) bool { return r.Kind == kind })
	return t
}

// String says what was left out and why: "3 of 6 workers are cordoned, 2 have taint storage=odf:NoSchedule"; empty if
// every worker takes the pod.
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
		who := fmt.Sprint(n)
		if i == 0 {
			who = fmt.Sprintf("%d of %s", n, plural.Count(t.Workers, "worker"))
		}
		out = append(out, who+" "+r.words(n))
	}
	return strings.Join(out, ", ")
}

// words continue a number of nodes.
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

// Largest is the node with the most free of a resource, and how much that is.
func Largest(nodes []Node, name corev1.ResourceName) (node string, free int64) {
	for _, n := range nodes {
		if f := n.Free[name]; node == "" || f > free {
			node, free = n.Name, f
		}
	}
	return node, free
}
