package informer

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// pauseAfterCRD is the pause after a CRD is established: the API server serves it some milliseconds later.
	pauseAfterCRD = 10 * time.Millisecond
	// crdWait is how long a reflector waits for the CRD of its kind before it retries.
	crdWait = 10 * time.Second
)

// awaitKind waits until the CRD of the resource is established, and reports whether that happened during the call. It
// returns false at once if the CRD was established before or the user may not watch it, and after crdWait, because an
// aggregated API may serve the kind.
func (f *reflector) awaitKind(ctx context.Context) bool {
	name := f.key.Resource.Resource + "." + f.key.Resource.Group
	selected := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}
	l, err := f.crds.List(ctx, selected)
	if err != nil || slices.ContainsFunc(l.Items, established) {
		return false
	}
	selected.ResourceVersion = l.GetResourceVersion()
	w, err := f.crds.Watch(ctx, selected)
	if err != nil {
		return false
	}
	defer w.Stop()
	timer := time.NewTimer(crdWait)
	defer timer.Stop()
	for {
		select {
		case e, ok := <-w.ResultChan():
			crd, isObject := e.Object.(*unstructured.Unstructured)
			switch {
			case !ok || !isObject || e.Type == watch.Error:
				return false
			case established(*crd):
				return true
			}
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// crdResource is the resource of CustomResourceDefinitions.
var crdResource = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
}

// established reports whether the API server serves the CRD.
func established(crd unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == "Established" && m["status"] == "True"
	})
}
