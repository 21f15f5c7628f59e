package kubetest

import (
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// answer serves a path that is not one of objects, and reports whether it did. object reports whether the path has the
// form of an object's path.
func (a *API) answer(w http.ResponseWriter, r *http.Request, object bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	path := r.URL.Path
	body, known := a.answers[path]
	code := 0
	if !object || known {
		code = a.refusal(Request{Method: strings.ToLower(r.Method), Path: path}, "")
	}
	switch {
	case code != 0:
		Refuse(w, code, reasons()[code])
	case known:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	case path == "/api":
		Reply(w, http.StatusOK, metav1.APIVersions{Versions: []string{"v1"}})
	case path == "/apis":
		Reply(w, http.StatusOK, metav1.APIGroupList{Groups: a.groups()})
	case path == "/api/v1":
		a.resources(w, "v1")
	case !object && strings.Count(path, "/") == 2 && strings.HasPrefix(path, "/apis/"):
		a.group(w, strings.TrimPrefix(path, "/apis/"))
	case !object && strings.HasPrefix(path, "/apis/"):
		a.resources(w, strings.TrimPrefix(path, "/apis/"))
	case !object:
		http.Error(w, "404 page not found", http.StatusNotFound)
	default:
		return false
	}
	return true
}

// groups returns the API groups of the kinds that were put or registered.
func (a *API) groups() []metav1.APIGroup {
	var out []metav1.APIGroup
	seen := map[schema.GroupVersion]bool{}
	for gvk := range a.kinds {
		if gvk.Group == "" || seen[gvk.GroupVersion()] {
			continue
		}
		seen[gvk.GroupVersion()] = true
		version := metav1.GroupVersionForDiscovery{GroupVersion: gvk.GroupVersion().String(), Version: gvk.Version}
		out = append(out, metav1.APIGroup{Name: gvk.Group, Versions: []metav1.GroupVersionForDiscovery{version},
			PreferredVersion: version})
	}
	return out
}

// group serves one API group.
func (a *API) group(w http.ResponseWriter, name string) {
	for _, g := range a.groups() {
		if g.Name == name {
			Reply(w, http.StatusOK, g)
			return
		}
	}
	http.Error(w, "404 page not found", http.StatusNotFound)
}

// resources serves the kinds of a version.
func (a *API) resources(w http.ResponseWriter, groupVersion string) {
	list := metav1.APIResourceList{GroupVersion: groupVersion}
	for gvk, k := range a.kinds {
		if gvk.GroupVersion().String() == groupVersion {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: k.Plural, Kind: k.Kind,
				Namespaced: k.Namespaced, Verbs: metav1.Verbs{"get", "list", "create", "patch", "delete", "watch"}})
		}
	}
	if len(list.APIResources) == 0 && groupVersion != "v1" {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	Reply(w, http.StatusOK, list)
}
