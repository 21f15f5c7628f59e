package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// server is the API server that a store is read from.
type server struct {
	dynamic dynamic.Interface
	// patient has the limits of what the server may send.
	patient *patient
	host    string
}

// list asks the API server for the objects of key, or for the single object of that name.
func (s *server) list(ctx context.Context, key feedKey) ([]*unstructured.Unstructured, error) {
	resource := s.resource(key)
	if !key.list {
		u, err := resource.Get(ctx, key.name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return []*unstructured.Unstructured{u}, nil
	}
	o := metav1.ListOptions{LabelSelector: key.labels, FieldSelector: key.fields, ResourceVersion: key.version}
	l, err := listOf(ctx, resource, o)
	if err != nil {
		return nil, err
	}
	items := make([]*unstructured.Unstructured, 0, len(l.Items))
	for i := range l.Items {
		items = append(items, &l.Items[i])
	}
	return items, nil
}

// resource is where the objects of key are.
func (s *server) resource(key feedKey) dynamic.ResourceInterface {
	if key.namespace != "" {
		return s.dynamic.Resource(key.resource).Namespace(key.namespace)
	}
	return s.dynamic.Resource(key.resource)
}
