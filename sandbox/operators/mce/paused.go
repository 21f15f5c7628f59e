package mce

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// isPaused reports whether one of the annotations pauses the operator of a version. The long one came with 2.6, and the
// short one is still read.
func isPaused(o *unstructured.Unstructured, version string) bool {
	annotations := o.GetAnnotations()
	return annotations["pause"] == "true" ||
		annotations["installer.multicluster.openshift.io/pause"] == "true" && framework.AtLeast(version, "2.6")
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
