package follow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
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

// componentTrouble returns the first error of the control plane's components; empty if there is none, or if they cannot
// be read: they exist from HyperShift 4.18 on.
func componentTrouble(ctx context.Context, r kube.Reader, namespace string) string {
	var components hyperv1.ControlPlaneComponentList
	if err := r.List(ctx, &components, client.InNamespace(namespace)); err != nil {
		return ""
	}
	for _, e := range ComponentErrors(components.Items) {
		return fmt.Sprintf("ControlPlaneComponent %s/%s: %s", namespace, e.Name, e.Message)
	}
	return ""
}

// components are those that a control plane waits for, as the last message listed them.
type components struct {
	mu      sync.Mutex
	waiting []string
	// changed is what the last change of the list was.
	changed string
}

// progress replaces the list of components in a finding by what has changed in it: a control plane has thirty of them,
// and the list changes with each. The first list is given in full.
func (c *components) progress(f step.Finding) step.Finding {
	before, list, is := strings.Cut(f.Message, conditions.WaitingForComponents)
	if !is {
		return f
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := strings.Split(list, ", ")
	switch {
	case c.waiting == nil:
		c.changed = strings.Join(now, ", ")
	case !slices.Equal(c.waiting, now):
		c.changed = left(now)
		if done := without(c.waiting, now); len(done) > 0 {
			c.changed += "; available now: " + strings.Join(done, ", ")
		}
		if added := without(now, c.waiting); len(added) > 0 {
			c.changed += "; unavailable since: " + strings.Join(added, ", ")
		}
	}
	c.waiting = now
	f.Message = before + conditions.WaitingForComponents + c.changed
	return f
}

// left says how many components are left, and which if they are few.
func left(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%d left", len(names))
	}
	return fmt.Sprintf("%d left (%s)", len(names), strings.Join(names, ", "))
}

// without returns the items of a list that the other one does not have.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}
