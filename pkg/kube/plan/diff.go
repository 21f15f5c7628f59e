package plan

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Diff returns the unified diff of the object as YAML with three lines of context; "" if there is no difference. It
// omits server fields (managed fields, versions, status) and masks secrets.
func (w Write) Diff() string {
	before, after := masked(withoutServerFields(w.Before), withoutServerFields(w.After))
	return unified(yamlOf(before), yamlOf(after))
}

// Manifest returns the object as sent, as YAML with masked secrets.
func (w Write) Manifest() string {
	_, sent := masked(nil, withoutServerFields(w.Sent))
	return string(yamlOf(sent))
}

// lastApplied is the annotation in which kubectl keeps a copy of the whole manifest, secrets included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// withoutServerFields returns the object without server fields; nil for nil.
func withoutServerFields(u *unstructured.Unstructured) map[string]any {
	if u == nil {
		return nil
	}
	obj := u.DeepCopy().Object
	delete(obj, "status")
	for _, field := range []string{"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp",
		"selfLink"} {
		unstructured.RemoveNestedField(obj, "metadata", field)
	}
	unstructured.RemoveNestedField(obj, "metadata", "annotations", lastApplied)
	if u.GetKind() == "Namespace" && u.GroupVersionKind().Group == "" {
		delete(obj, "spec") // it can only contain the finalizer of the namespace controller
		unstructured.RemoveNestedField(obj, "metadata", "labels", corev1.LabelMetadataName)
	}
	if annotations, found, _ := unstructured.NestedMap(obj, "metadata", "annotations"); found && len(annotations) == 0 {
		unstructured.RemoveNestedField(obj, "metadata", "annotations")
	}
	return obj
}

func yamlOf(obj map[string]any) []byte {
	if obj == nil {
		return nil
	}
	data, err := sanitize.YAML(obj)
	if err != nil {
		// Kubernetes objects always marshal.
		return []byte("# " + err.Error() + "\n")
	}
	return data
}
