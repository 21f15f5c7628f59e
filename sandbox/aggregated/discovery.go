package aggregated

import (
	"encoding/json"
	"net/http"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// groups answers /apis.
func (s *Server) groups(w http.ResponseWriter) {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups: []metav1.APIGroup{}}
	seen := map[string]bool{}
	for _, gv := range s.groupVersions() {
		if !seen[gv.Group] {
			seen[gv.Group] = true
			list.Groups = append(list.Groups, s.describe(gv.Group))
		}
	}
	WriteJSON(w, http.StatusOK, list)
}

// group answers /apis/<group>.
func (s *Server) group(w http.ResponseWriter, r *http.Request, group string) {
	g := s.describe(group)
	if len(g.Versions) == 0 {
		http.NotFound(w, r)
		return
	}
	WriteJSON(w, http.StatusOK, g)
}

// groupVersion answers /apis/<group>/<version> itself. The registered handler answers all paths below it.
func (s *Server) groupVersion(w http.ResponseWriter, r *http.Request, gv schema.GroupVersion, discovery bool) {
	s.mu.RLock()
	reg, ok := s.served[gv]
	s.mu.RUnlock()
	switch {
	case !ok:
		http.NotFound(w, r)
	case discovery:
		WriteJSON(w, http.StatusOK, resourceList(gv, reg.resources))
	default:
		reg.handler.ServeHTTP(w, r)
	}
}

// describe lists the versions of a group, the newest first and preferred.
func (s *Server) describe(group string) metav1.APIGroup {
	g := metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: group}
	for _, gv := range s.groupVersions() {
		if gv.Group == group {
			g.Versions = append(g.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version})
		}
	}
	if len(g.Versions) > 0 {
		g.PreferredVersion = g.Versions[0]
	}
	return g
}

// groupVersions lists the served versions of group, the most stable and newest first.
func (s *Server) groupVersions() []schema.GroupVersion {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]schema.GroupVersion, 0, len(s.served))
	for gv := range s.served {
		out = append(out, gv)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Group != out[j].Group {
			return out[i].Group < out[j].Group
		}
		return version.CompareKubeAwareVersionStrings(out[i].Version, out[j].Version) > 0
	})
	return out
}

func resourceList(gv schema.GroupVersion, resources []operator.APIResource) metav1.APIResourceList {
	list := metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: gv.String(),
		APIResources: []metav1.APIResource{},
	}
	for _, r := range resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: r.Name, Kind: r.Kind, Namespaced: r.Namespaced, Verbs: r.Verbs,
		})
	}
	return list
}

// WriteJSON answers with v as JSON and the given status code. It ignores a client that has disconnected.
func WriteJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}
