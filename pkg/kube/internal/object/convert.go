package object

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Into copies an unstructured object into a typed or unstructured one.
func Into(u *unstructured.Unstructured, obj client.Object) error {
	if out, ok := obj.(*unstructured.Unstructured); ok {
		out.Object = u.DeepCopy().Object
		return nil
	}
	if out, ok := obj.(*metav1.PartialObjectMetadata); ok {
		return runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"metadata": u.Object["metadata"]}, out)
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj)
}

// IntoList copies unstructured objects into a typed or unstructured list.
func IntoList(items []*unstructured.Unstructured, list client.ObjectList) error {
	if out, ok := list.(*unstructured.UnstructuredList); ok {
		out.Items = make([]unstructured.Unstructured, 0, len(items))
		for _, u := range items {
			out.Items = append(out.Items, *u.DeepCopy())
		}
		return nil
	}
	raw := make([]any, 0, len(items))
	for _, u := range items {
		raw = append(raw, u.Object)
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"items": raw}, list)
}

// Name returns "namespace/name", or the name alone for a cluster-scoped object.
func Name(o client.Object) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return o.GetNamespace() + "/" + o.GetName()
}
