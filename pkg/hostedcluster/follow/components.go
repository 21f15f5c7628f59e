package follow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// componentTrouble returns the first error of the control plane's components, or "" if there is none or they cannot be
// read: they exist from HyperShift 4.18 on.
func componentTrouble(ctx context.Context, r kube.Reader, namespace string) string {
	var components hyperv1.ControlPlaneComponentList
	if err := r.List(ctx, &components, client.InNamespace(namespace)); err != nil {
		return ""
	}
	for _, e := range cause.ComponentErrors(components.Items) {
		return fmt.Sprintf("ControlPlaneComponent %s/%s: %s", namespace, e.Name, e.Message)
	}
	return ""
}

// components are the components in the last message that a control plane waits for.
type components struct {
	mu      sync.Mutex
	waiting []string
	// changed is the text of the last change of the list.
	changed string
}

// progress replaces the list of components in a finding by the change since the last list. A control plane has thirty
// components, and the list changes with each. The first list is reported completely.
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

// left returns how many components are left, with their names if there are at most 5.
func left(names []string) string {
	const maxNames = 5
	if len(names) > maxNames {
		return fmt.Sprintf("%d left", len(names))
	}
	return fmt.Sprintf("%d left (%s)", len(names), strings.Join(names, ", "))
}

// without returns the items of a list that the other one does not have.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}
