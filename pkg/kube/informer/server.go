package informer

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// Server is the API server that a store reads from.
type Server struct {
	Dynamic dynamic.Interface
	// Retry has the limits of what the server may send.
	Retry *transport.Retry
	Host  string
}

// list reads the objects of key, or the single object with its name.
func (s *Server) list(ctx context.Context, key Key) ([]*unstructured.Unstructured, error) {
	resource := s.resource(key)
	if !key.List {
		u, err := resource.Get(ctx, key.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return []*unstructured.Unstructured{u}, nil
	}
	o := metav1.ListOptions{LabelSelector: key.Labels, FieldSelector: key.Fields, ResourceVersion: key.Version}
	l, err := transport.ListOf(ctx, resource, o)
	if err != nil {
		return nil, err
	}
	items := make([]*unstructured.Unstructured, 0, len(l.Items))
	for i := range l.Items {
		items = append(items, &l.Items[i])
	}
	return items, nil
}

// resource returns the client for the objects of key.
func (s *Server) resource(key Key) dynamic.ResourceInterface {
	if key.Namespace != "" {
		return s.Dynamic.Resource(key.Resource).Namespace(key.Namespace)
	}
	return s.Dynamic.Resource(key.Resource)
}
