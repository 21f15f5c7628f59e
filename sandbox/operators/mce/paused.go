package mce

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// isPaused tells whether one of the annotations pauses the operator (backplane-operator; the short one is older).
func isPaused(o *unstructured.Unstructured) bool {
	annotations := o.GetAnnotations()
	return annotations["installer.multicluster.openshift.io/pause"] == "true" || annotations["pause"] == "true"
}

// pause writes the status of an engine whose operator does nothing.
func (m *engine) pause(ctx context.Context, o *unstructured.Unstructured) error {
	return framework.WriteStatus(ctx, m.Client, o, func(o *unstructured.Unstructured) {
		if framework.AtLeast(m.channel().Version, "2.5") {
			framework.Set(o, "Paused", "status", "phase")
		}
		framework.SetConditions(o, framework.Plain, framework.Condition{Type: "Progressing", Status: "Unknown",
			Reason: "Paused", Message: "Multiclusterengine is paused"})
	})
}
