package fakeapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Store is an API server that keeps created objects and records its requests.
type Store struct {
	mu      sync.Mutex
	Objects map[string]any
	Asked   []string
}

func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refuse := func(code int, reason metav1.StatusReason) {
		reply(w, code, metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status:   metav1.StatusFailure,
			Reason:   reason,
			Code:     int32(code),
			Message:  string(reason),
			Details:  &metav1.StatusDetails{Name: "x"},
		})
	}
	if r.Method == http.MethodGet {
		s.Asked = append(s.Asked, "get "+r.URL.Path)
		if obj, ok := s.Objects[r.URL.Path].(Object); ok {
			typed := Object{"apiVersion": "v1", "kind": "Any"}
			if _, list := obj["items"]; list {
				typed["kind"] = "AnyList"
			}
			maps.Copy(typed, obj)
			reply(w, http.StatusOK, typed)
			return
		}
		refuse(http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	}
	var obj Object
	_ = json.NewDecoder(r.Body).Decode(&obj)
	if r.Method == http.MethodPatch {
		s.patch(w, r.URL.Path, obj)
		return
	}
	name, _ := obj["metadata"].(Object)["name"].(string)
	path := r.URL.Path + "/" + name
	s.Asked = append(s.Asked, "create "+path)
	if _, ok := s.Objects[path]; ok {
		refuse(http.StatusConflict, metav1.StatusReasonAlreadyExists)
		return
	}
	meta, _ := obj["metadata"].(Object)
	meta["uid"], meta["resourceVersion"] = "uid-of-"+name, "1"
	meta["managedFields"] = []any{Object{"manager": r.URL.Query().Get("fieldManager"), "operation": "Update"}}
	s.Objects[path] = obj
	reply(w, http.StatusCreated, obj)
}

// patch merges the annotations of a merge patch. The steps send nothing else.
func (s *Store) patch(w http.ResponseWriter, path string, fields Object) {
	s.Asked = append(s.Asked, "patch "+path)
	obj, _ := s.Objects[path].(Object)
	meta, _ := obj["metadata"].(Object)
	annotations, _ := meta["annotations"].(Object)
	maps.Copy(annotations, fields["metadata"].(Object)["annotations"].(Object))
	reply(w, http.StatusOK, Object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": meta})
}

// Client returns a client of a server that serves the store.
func (s *Store) Client(t *testing.T) *kube.Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	// The server does not speak Protobuf.
	c, err := kube.New(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
