package hostedcluster

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// store is an API server that keeps what is created, and says what it was asked.
type store struct {
	mu      sync.Mutex
	objects map[string]any
	asked   []string
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refuse := func(code int, reason metav1.StatusReason) {
		reply(w, code, metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status:   metav1.StatusFailure, Reason: reason, Code: int32(code), Message: string(reason), Details: &metav1.StatusDetails{Name: "x"},
		})
	}
	if r.Method == http.MethodGet {
		s.asked = append(s.asked, "get "+r.URL.Path)
		if obj, ok := s.objects[r.URL.Path].(object); ok {
			typed := object{"apiVersion": "v1", "kind": "Any"}
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
	var obj object
	_ = json.NewDecoder(r.Body).Decode(&obj)
	if r.Method == http.MethodPatch {
		s.patch(w, r.URL.Path, obj)
		return
	}
	name, _ := obj["metadata"].(object)["name"].(string)
	path := r.URL.Path + "/" + name
	s.asked = append(s.asked, "create "+path)
	if _, ok := s.objects[path]; ok {
		refuse(http.StatusConflict, metav1.StatusReasonAlreadyExists)
		return
	}
	meta, _ := obj["metadata"].(object)
	meta["uid"], meta["resourceVersion"] = "uid-of-"+name, "1"
	meta["managedFields"] = []any{object{"manager": r.URL.Query().Get("fieldManager"), "operation": "Update"}}
	s.objects[path] = obj
	reply(w, http.StatusCreated, obj)
}

// patch merges the annotations of a merge patch, which is all that the steps send.
func (s *store) patch(w http.ResponseWriter, path string, fields object) {
	s.asked = append(s.asked, "patch "+path)
	obj, _ := s.objects[path].(object)
	meta, _ := obj["metadata"].(object)
	annotations, _ := meta["annotations"].(object)
	maps.Copy(annotations, fields["metadata"].(object)["annotations"].(object))
	reply(w, http.StatusOK, object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": meta})
}

func (s *store) client(t *testing.T) *kube.Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	// Protobuf would need a server that speaks it.
	c, err := kube.New(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A create that leaves its checks out is twelve requests at most, be its namespace there or not, and what an earlier one has left gives it its identity.
func TestCreateUnchecked(t *testing.T) {
	world := func() map[string]any {
		return management(map[string]any{imageSetsPath: items()})
	}
	earlier := object{"apiVersion": "v1", "kind": "Secret", "metadata": begunMeta("kv-00-pull-secret", "kv-00-begun"), "data": object{".dockerconfigjson": encoded(goodPullSecret)}}
	for name, tc := range map[string]struct {
		path     string
		there    any
		requests int
		infraID  string
	}{
		"no namespace":              {"", nil, 12, ""},
		"a namespace":               {namespacesPath + "/clusters", object{"metadata": object{"name": "clusters"}}, 12, ""},
		"what an earlier one began": {secretsPath + "/kv-00-pull-secret", earlier, 13, "kv-00-begun"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &store{objects: world()}
			if tc.there != nil {
				s.objects[tc.path] = tc.there
			}
			c := s.client(t)
			o := named(func(o *Options) { o.Wait = WaitNone })
			p, err := PrepareUnchecked(kube.ReadOnce(t.Context()), c, o)
			if err != nil {
				t.Fatal(err)
			}
			g, err := step.New(p.Steps()...)
			if err != nil {
				t.Fatal(err)
			}
			if r := g.Run(t.Context(), step.Options{Timeout: 5 * time.Second}); r.Err() != nil {
				t.Fatal(r.Err())
			}
			// One more than where a ClusterImageSet offers the release: the management cluster's own has to be asked for.
			if len(s.asked) != tc.requests {
				t.Errorf("%d requests, want %d:\n%s", len(s.asked), tc.requests, strings.Join(s.asked, "\n"))
			}
			ids := map[string]bool{}
			for _, path := range []string{secretsPath + "/kv-00-pull-secret", secretsPath + "/kv-00-etcd-encryption-key", poolsPath + "/kv-00"} {
				labels, _ := s.objects[path].(object)["metadata"].(object)["labels"].(object)
				id, _ := labels[InfraLabel].(string)
				ids[id] = true
				annotations, _ := s.objects[path].(object)["metadata"].(object)["annotations"].(object)
				if path != poolsPath+"/kv-00" && (annotations[ClusterAnnotation] != "clusters/kv-00" || annotations[ClusterUIDAnnotation] != "uid-of-kv-00") {
					t.Errorf("%s is marked %v", path, annotations)
				}
			}
			hc, _ := s.objects[clustersPath+"/kv-00"].(object)
			id, _ := hc["spec"].(object)["infraID"].(string)
			if !ids[id] || len(ids) != 1 || id == "" || tc.infraID != "" && id != tc.infraID {
				t.Errorf("identities %v, the HostedCluster's %q, want %q", ids, id, tc.infraID)
			}
			if slices.ContainsFunc(p.Steps(), func(s step.Step) bool { return s.ID == nameStep }) {
				t.Error("asks whether the name is free")
			}
		})
	}
}
