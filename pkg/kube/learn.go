package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// growingMapper is a mapper that can learn kinds while others read it.
type growingMapper struct {
	mu sync.RWMutex
	*meta.DefaultRESTMapper
}

// RESTMapping is meta.RESTMapper's; it is the only question hcctl asks.
func (m *growingMapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.DefaultRESTMapper.RESTMapping(gk, versions...)
}

func (m *growingMapper) add(k Kind) {
	m.mu.Lock()
	defer m.mu.Unlock()
	scope := meta.RESTScopeRoot
	if k.Namespaced {
		scope = meta.RESTScopeNamespace
	}
	m.AddSpecific(k.GroupVersionKind, k.Resource(), k.Resource(), scope)
}

// Learn makes a kind that is not in hcctl's table known to the client, by asking the API server once: for objects that come
// from a person's files. It is IsKindMissing where the API server does not
// serve the kind (yet).
func (c *Client) Learn(ctx context.Context, gvk schema.GroupVersionKind) error {
	if _, err := c.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
		return nil
	}
	path := "/apis/" + gvk.GroupVersion().String()
	if gvk.Group == "" {
		path = "/api/" + gvk.Version
	}
	data, err := c.raw(ctx, path)
	if err != nil {
		return err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, r := range list.APIResources {
		if r.Kind == gvk.Kind && !strings.Contains(r.Name, "/") {
			c.mapper.add(Kind{gvk, r.Name, r.Namespaced})
			return nil
		}
	}
	return &meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}
}
