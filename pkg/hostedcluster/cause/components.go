package cause

import (
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// ComponentError is why the control-plane-operator cannot reconcile a component of a control plane.
type ComponentError struct{ Name, Message string }

// ComponentErrors returns the errors among ControlPlaneComponents, by name. They have a condition False with reason
// ReconciliationError then: Available up to HyperShift 4.19, RolloutComplete from 4.20 on.
func ComponentErrors(components []hyperv1.ControlPlaneComponent) []ComponentError {
	var out []ComponentError
	for i := range components {
		for _, c := range components[i].Status.Conditions {
			if c.Status == metav1.ConditionFalse && c.Reason == hyperv1.ReconciliationErrorReason {
				out = append(out, ComponentError{components[i].Name, sanitize.Value(c.Message)})
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b ComponentError) int { return strings.Compare(a.Name, b.Name) })
	return out
}
