package fakeapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// review answers a SelfSubjectAccessReview.
func (w *World) review(out http.ResponseWriter, r *http.Request) {
	var review struct {
		Spec struct {
			ResourceAttributes struct{ Verb, Resource string }
		}
	}
	_ = json.NewDecoder(r.Body).Decode(&review)
	asked := review.Spec.ResourceAttributes
	allowed := !slices.Contains(w.MayNot, asked.Verb+" "+asked.Resource) && (asked.Verb != "*" || len(w.MayNot) == 0)
	reply(out, http.StatusCreated, Object{
		"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": Object{"allowed": allowed},
	})
}

// discover tells which kinds there are.
func (w *World) discover(out http.ResponseWriter, path string) bool {
	switch path {
	case "/api":
		reply(out, http.StatusOK, Object{"kind": "APIVersions", "versions": []any{"v1"}})
		return true
	case "/apis":
		reply(out, http.StatusOK, Object{"kind": "APIGroupList", "apiVersion": "v1", "groups": w.groups("")})
		return true
	}
	groupVersion := strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")
	var resources []any
	for _, k := range w.kinds {
		if k.groupVersion == groupVersion {
			resources = append(resources, Object{
				"name": k.plural, "kind": k.kind, "namespaced": k.namespaced,
				"verbs": []any{"get", "list", "create", "patch", "delete", "watch"},
			})
		}
	}
	if groups := w.groups(groupVersion); resources == nil && len(groups) > 0 {
		reply(out, http.StatusOK, groups[0])
		return true
	}
	if resources != nil {
		reply(out, http.StatusOK, Object{
			"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": groupVersion, "resources": resources,
		})
	}
	return resources != nil
}

// groups describes one group, or all if name is empty.
func (w *World) groups(name string) []any {
	groups := []any{}
	for i, k := range w.kinds {
		group, version, named := strings.Cut(k.groupVersion, "/")
		earlier := slices.ContainsFunc(w.kinds[:i], func(e worldKind) bool { return e.groupVersion == k.groupVersion })
		if !named || name != "" && name != group || earlier {
			continue
		}
		served := Object{"groupVersion": k.groupVersion, "version": version}
		groups = append(groups, Object{
			"kind": "APIGroup", "name": group, "versions": []any{served}, "preferredVersion": served,
		})
	}
	return groups
}
