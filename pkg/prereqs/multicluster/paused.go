package multicluster

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Annotations that pause the operator of Advanced Cluster Management: the newer one, and the one that all versions
// know.
const (
	hubPauseAnnotation    = "installer.open-cluster-management.io/pause"
	hubOldPauseAnnotation = "mch-pause"
)

// isPausedHub reports whether Advanced Cluster Management is paused. Phase Paused exists since 2.10; the reason is
// older (multiclusterhub-operator).
func isPausedHub(hub *unstructured.Unstructured) bool {
	return kube.Text(hub, "status", "phase") == "Paused" ||
		slices.ContainsFunc(kube.Conditions(hub), func(c kube.Condition) bool { return c.Reason == "MCHPaused" })
}

// pausedHub returns the finding about a paused hub, which writes nothing.
func pausedHub(hub *unstructured.Unstructured) step.Finding {
	by := prereq.SetBy(hub, "metadata", "annotations", hubPauseAnnotation)
	if by == "" {
		by = prereq.SetBy(hub, "metadata", "annotations", hubOldPauseAnnotation)
	}
	if f := prereq.KeptByTool(hub, "it is paused"+by, "metadata", "annotations", hubPauseAnnotation); f != nil &&
		hub.GetAnnotations()[hubPauseAnnotation] != "" {
		return f.On("%s", describeOwner(hub))
	}
	return step.Broken("Advanced Cluster Management, which brings multicluster engine itself, is paused%s", by).
		On("%s", describeOwner(hub)).
		WithHint("oc annotate multiclusterhub %s -n %s %s- %s-, or: %s", hub.GetName(), hub.GetNamespace(),
			hubPauseAnnotation, hubOldPauseAnnotation, hint.Run("bootstrap").Flag("take-over", Operator))
}

// resume removes these annotations, which pause an operator.
func resume(ctx context.Context, c *kube.Client, o *unstructured.Unstructured,
	annotations ...string) (step.Change, error) {
	fields := ""
	for _, name := range annotations {
		if _, exists := o.GetAnnotations()[name]; exists {
			if fields != "" {
				fields += ","
			}
			fields += fmt.Sprintf("%q:null", name)
		}
	}
	if fields == "" {
		return step.Unchanged, nil
	}
	return prereq.MergePatch(ctx, c, o, fmt.Sprintf(`{"metadata":{"annotations":{%s}}}`, fields))
}

// apply resumes a paused hub, which installs the engine itself, or installs the operator.
func (s multiclusterOperator) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	hub, err := prereq.Hub(ctx, c)
	if err != nil {
		return "", err
	}
	if hub != nil && isPausedHub(hub) && s.takeOver[Operator] {
		return resume(ctx, c, hub, hubPauseAnnotation, hubOldPauseAnnotation)
	}
	return s.installer().Apply(ctx, c)
}
