package ingress

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Labels that HyperShift sets on what the default ingress must admit (control-plane-operator 4.12 to 4.21).
const (
	// infraLabel is on the wildcard Route of a hosted cluster. Its value differs by cluster.
	infraLabel = "hypershift.openshift.io/infra-id"
	// controlPlaneLabel is on the namespace of the Route. A Route has it only if another router serves it, so the newest
	// operator makes the default ingress select Routes without it.
	controlPlaneLabel = "hypershift.openshift.io/hosted-control-plane"
)

// judgeSelectors returns a finding if a selector excludes the Routes of hosted clusters from the default ingress, else
// nil. A selector on values that differ by cluster counts as matching.
func judgeSelectors(ic *kube.DefaultIngress) *step.Finding {
	for _, s := range []struct {
		field       string
		selector    *metav1.LabelSelector
		set         labels.Set
		differs     string
		explanation string
	}{
		{"routeSelector", ic.Spec.RouteSelector, labels.Set{infraLabel: ""}, infraLabel,
			"the wildcard Route of a hosted cluster has no label of its own choice but " + infraLabel},
		{"namespaceSelector", ic.Spec.NamespaceSelector, labels.Set{controlPlaneLabel: "true", corev1.LabelMetadataName: ""},
			corev1.LabelMetadataName, "HyperShift makes the namespace of a hosted cluster's Route without such a label"},
	} {
		if s.selector == nil || admits(s.selector, s.set, s.differs) {
			continue
		}
		f := step.Broken("spec.%s (%s) does not select Routes of hosted clusters: %s", s.field,
			metav1.FormatLabelSelector(s.selector), s.explanation).
			WithHint(`take it away: oc patch ingresscontroller %s -n %s --type=json -p `+
				`'[{"op":"remove","path":"/spec/%s"}]'; or give hosted clusters a base domain of their own and `+
				`%s %s`, ingressName, ingressNamespace, s.field, hint.Flag("skip"), Wildcard)
		return &f
	}
	return nil
}

// admits reports whether the selector matches a set of labels. The label that differs by cluster may have any value.
func admits(selector *metav1.LabelSelector, set labels.Set, differs string) bool {
	known := selector.DeepCopy()
	delete(known.MatchLabels, differs)
	known.MatchExpressions = nil
	for _, e := range selector.MatchExpressions {
		if e.Key == differs && (e.Operator == metav1.LabelSelectorOpIn || e.Operator == metav1.LabelSelectorOpNotIn) {
			continue
		}
		known.MatchExpressions = append(known.MatchExpressions, e)
	}
	parsed, err := metav1.LabelSelectorAsSelector(known)
	return err == nil && parsed.Matches(set)
}
