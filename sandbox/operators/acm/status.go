package acm

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// updateStatus writes the status of a hub. Condition Complete is False only after it was True once; before, the hub is
// Progressing (multiclusterhub-operator 2.7 to 2.16).
func (a *acm) updateStatus(ctx context.Context, hub *unstructured.Unstructured, version string, complete bool) error {
	return framework.WriteStatus(ctx, a.Client, hub, func(o *unstructured.Unstructured) {
		framework.Set(o, version, "status", "desiredVersion")
		if complete {
			framework.Set(o, "Running", "status", "phase")
			framework.Set(o, version, "status", "currentVersion")
			framework.SetConditions(o, framework.Plain, framework.Condition{Type: "Complete", Status: "True",
				Reason: "ComponentsAvailable", Message: "All hub components ready."})
			return
		}
		current := framework.Text(o, "status", "currentVersion")
		framework.Set(o, phaseOf(current, version), "status", "phase")
		framework.SetConditions(o, framework.Plain, framework.Condition{Type: "Progressing", Status: "True",
			Reason: "MCHReconciling", Message: "Hub is reconciling."})
		if current != "" {
			framework.SetConditions(o, framework.Plain, framework.Condition{Type: "Complete", Status: "False",
				Reason: "ComponentsUnavailable", Message: "Not all hub components ready."})
		}
	})
}

// phaseOf is the phase of a hub that is not complete, by the version that was complete last.
func phaseOf(current, version string) string {
	switch current {
	case "":
		return "Installing"
	case version:
		return "Pending"
	}
	return "Updating"
}
