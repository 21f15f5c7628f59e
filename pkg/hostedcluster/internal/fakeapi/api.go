package fakeapi

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
)

// FakeAPI serves objects by path, and lists by the path of their resource. An unknown resource gets the plain 404 of a
// missing CRD, an unknown object of a known resource a NotFound; a metav1.Status is sent as such.
func FakeAPI(t *testing.T, answers map[string]any) *kube.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Query().Get("dryRun") == "All" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			_, _ = io.Copy(w, r.Body)
			return
		}
		if r.Method != http.MethodGet {
			t.Errorf("%s %s: only reads are expected", r.Method, r.URL)
		}
		if a, ok := answers[r.URL.Path]; ok {
			if refused, no := a.(metav1.Status); no {
				reply(w, int(refused.Code), refused)
				return
			}
			if list, isObject := a.(Object); isObject &&
				strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
				a = Object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList", "items": list["items"]}
			}
			reply(w, http.StatusOK, a)
			return
		}
		resource, name := r.URL.Path[:strings.LastIndex(r.URL.Path, "/")], r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		if _, ok := answers[resource]; !ok {
			http.Error(w, "404 page not found", http.StatusNotFound)
			return
		}
		reply(w, http.StatusNotFound, metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status:   metav1.StatusFailure,
			Reason:   metav1.StatusReasonNotFound,
			Code:     http.StatusNotFound,
			Message:  name + " not found",
			Details:  &metav1.StatusDetails{Name: name},
		})
	}))
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// PlanningAPI is FakeAPI that accepts dry-run deletions and allows its user everything.
func PlanningAPI(t *testing.T, answers map[string]any) *kube.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, known := answers[r.URL.Path]
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews"):
			reply(
				w,
				http.StatusCreated,
				Object{
					"kind":       "SelfSubjectAccessReview",
					"apiVersion": "authorization.k8s.io/v1",
					"status":     Object{"allowed": true},
				},
			)
		case r.Method == http.MethodDelete && strings.Contains(r.URL.RawQuery+body(r), "All"):
			reply(
				w,
				http.StatusOK,
				metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess},
			)
		case r.Method != http.MethodGet:
			t.Errorf("%s %s: only reads and dry runs are expected", r.Method, r.URL)
		case !known:
			http.Error(w, "404 page not found", http.StatusNotFound)
		default:
			reply(w, http.StatusOK, typed(a.(Object), r))
		}
	}))
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func body(r *http.Request) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

// typed adds the kind that a client expects to an object or list.
func typed(a Object, r *http.Request) Object {
	kinds := map[string]string{
		"secrets":        "Secret",
		"configmaps":     "ConfigMap",
		"hostedclusters": "HostedCluster",
		"namespaces":     "Namespace",
		"nodepools":      "NodePool",
	}
	out := Object{"apiVersion": "v1"}
	if strings.Contains(r.URL.Path, "hypershift") {
		out["apiVersion"] = "hypershift.openshift.io/v1beta1"
	}
	parts := strings.Split(r.URL.Path, "/")
	list, isList := a["items"]
	switch {
	case isList && strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList"):
		return Object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList", "items": list}
	case isList:
		out["kind"] = kinds[parts[len(parts)-1]] + "List"
	case len(parts) > 1:
		out["kind"] = kinds[parts[len(parts)-2]]
	}
	maps.Copy(out, a)
	return out
}

func reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

// Written is an API server that serves the world and keeps the patches that it gets by the object's name.
func Written(t *testing.T, world map[string]any) (*kube.Client, map[string]string) {
	t.Helper()
	patches := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch body, ok := world[r.URL.Path]; {
		case r.Method == http.MethodPatch:
			patch, _ := io.ReadAll(r.Body)
			name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
			patches[name] = string(patch)
			answer := AddressPool(name, nil)
			answer["metadata"].(Object)["resourceVersion"] = "8"
			reply(w, http.StatusOK, answer)
		case ok:
			reply(w, http.StatusOK, body)
		default:
			http.Error(w, "404 page not found", http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c, patches
}
