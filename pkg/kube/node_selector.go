package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/klog/v2"
)

// selectorOperators maps the operators of node selectors to those of label selectors.
var selectorOperators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpNotIn: selection.NotIn,
	corev1.NodeSelectorOpExists: selection.Exists, corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt: selection.GreaterThan, corev1.NodeSelectorOpLt: selection.LessThan,
}

// SelectsNode reports whether one of the terms selects the node; a nil selector selects every node. An invalid
// requirement matches no node.
func SelectsNode(s *corev1.NodeSelector, n *corev1.Node) bool {
	return s == nil || slices.ContainsFunc(s.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) bool {
		return len(term.MatchExpressions)+len(term.MatchFields) > 0 && matchesAll(term.MatchExpressions, n.Labels) &&
			matchesAll(term.MatchFields, labels.Set{"metadata.name": n.Name})
	})
}

// Untolerated returns the taints of the node that prevent a pod with these tolerations from being scheduled or kept
// there. It ignores PreferNoSchedule.
func Untolerated(n *corev1.Node, all []corev1.Toleration) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(taint corev1.Taint) bool {
		return taint.Effect == corev1.TaintEffectPreferNoSchedule || slices.ContainsFunc(all,
			func(t corev1.Toleration) bool { return t.ToleratesTaint(klog.Background(), &taint, false) })
	})
}

func matchesAll(wanted []corev1.NodeSelectorRequirement, of labels.Set) bool {
	return !slices.ContainsFunc(wanted, func(r corev1.NodeSelectorRequirement) bool {
		// The field name metadata.name is also valid as a label key.
		requirement, err := labels.NewRequirement(r.Key, selectorOperators[r.Operator], r.Values)
		return err != nil || !requirement.Matches(of)
	})
}
