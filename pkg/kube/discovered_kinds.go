package kube

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// discoveryMapper is a REST mapper to which kinds can be added concurrently with reads.
type discoveryMapper struct {
	mu sync.RWMutex
	*meta.DefaultRESTMapper
	// discovered has the kinds that were added from discovery.
	discovered map[schema.GroupResource]Kind
	// discovering is a semaphore: only one goroutine requests the kinds of a group, and the others use its result.
	discovering chan struct{}
}

func (m *discoveryMapper) lookup(gr schema.GroupResource) (Kind, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, ok := m.discovered[gr]
	return k, ok
}

// RESTMapping implements the only method of meta.RESTMapper that hcctl uses.
func (m *discoveryMapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.DefaultRESTMapper.RESTMapping(gk, versions...)
}

// KindFor implements meta.RESTMapper.
func (m *discoveryMapper) KindFor(resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.DefaultRESTMapper.KindFor(resource)
}

func (m *discoveryMapper) add(k Kind) {
	m.mu.Lock()
	defer m.mu.Unlock()
	scope := meta.RESTScopeRoot
	if k.Namespaced {
		scope = meta.RESTScopeNamespace
	}
	if m.discovered == nil {
		m.discovered = map[schema.GroupResource]Kind{}
	}
	m.discovered[k.Resource().GroupResource()] = k
	m.AddSpecific(k.GroupVersionKind, k.Resource(), k.Resource(), scope)
}

// DiscoverKind adds a kind that is not in hcctl's table to the client, for objects from a user's files. The error is
// IsKindMissing if the API server does not serve the kind yet.
func (c *Client) DiscoverKind(ctx context.Context, gvk schema.GroupVersionKind) error {
	if _, err := c.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
		return nil
	}
	kinds, err := c.kindsOf(ctx, gvk.GroupVersion())
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if k.GroupVersionKind == gvk {
			c.mapper.add(k.Kind)
			return nil
		}
	}
	return &meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}
}

// Namespaced reports whether the kind is namespaced, and adds it to the client. Its errors are those of DiscoverKind.
func (c *Client) Namespaced(ctx context.Context, gvk schema.GroupVersionKind) (bool, error) {
	if err := c.DiscoverKind(ctx, gvk); err != nil {
		return false, err
	}
	mapping, err := c.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return false, err
	}
	return mapping.Scope.Name() == meta.RESTScopeNameNamespace, nil
}

// DiscoverResource adds a kind to the client by its resource name. It uses the version of hcctl's table, else the
// storage version according to discovery, which every user may read. The error is IsKindMissing if the server does not
// serve it.
func (c *Client) DiscoverResource(ctx context.Context, gr schema.GroupResource) (Kind, error) {
	for _, k := range append(unstructuredKinds(), typed...) {
		if k.Resource().GroupResource() == gr && len(k.Versions()) == 1 {
			return k, nil
		}
	}
	if k, known := c.mapper.lookup(gr); known {
		return k, nil
	}
	select {
	case c.mapper.discovering <- struct{}{}:
		defer func() { <-c.mapper.discovering }()
	case <-ctx.Done():
		return Kind{}, ctx.Err()
	}
	if k, known := c.mapper.lookup(gr); known {
		return k, nil
	}
	gv := schema.GroupVersion{Version: "v1"}
	var group metav1.APIGroup
	if gr.Group != "" {
		if err := c.decodePath(ctx, "/apis/"+gr.Group, runtime.ContentTypeJSON, &group); err != nil {
			return Kind{}, err
		}
		gv = schema.GroupVersion{Group: gr.Group, Version: group.PreferredVersion.Version}
	}
	kinds, err := c.kindsOf(ctx, gv)
	if err != nil {
		return Kind{}, err
	}
	for _, k := range kinds {
		for _, v := range group.Versions {
			if k.stored == storageVersionHash(gr.Group, v.Version, k.Kind.Kind) {
				k.Version = v.Version
			}
		}
		if k.Plural == gr.Resource || len(k.Versions()) > 1 {
			c.mapper.add(k.Kind)
		}
	}
	if k, known := c.mapper.lookup(gr); known {
		return k, nil
	}
	return Kind{}, &meta.NoResourceMatchError{PartialResource: gr.WithVersion(gv.Version)}
}

// storageVersionHash returns the hash by which discovery identifies the storage version (k8s.io/apiserver,
// pkg/endpoints/discovery).
func storageVersionHash(group, version, kind string) string {
	sum := sha256.Sum256([]byte(group + "/" + version + "/" + kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}
