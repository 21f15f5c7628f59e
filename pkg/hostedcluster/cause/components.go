package cause

import (
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
)

// ComponentError is an error that keeps the control-plane-operator from reconciling a component of a control plane.
type ComponentError struct{ Name, Message string }

// ComponentErrors returns the errors of ControlPlaneComponents, sorted by name. Such a component has a condition with
// status False and reason ReconciliationError: Available up to HyperShift 4.19, RolloutComplete from 4.20 on.
func ComponentErrors(components []hyperv1.ControlPlaneComponent) []ComponentError {
	var out []ComponentError
	for i := range components {
		for _, c := range kube.ConditionsOf(&components[i], components[i].Status.Conditions) {
			if c.False() && c.Reason == hyperv1.ReconciliationErrorReason {
				out = append(out, ComponentError{components[i].Name, sanitize.Value(c.Message)})
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b ComponentError) int { return strings.Compare(a.Name, b.Name) })
	return out
}
