package release

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// TestANewImageSetIsFound: one that somebody has added a moment ago, of which the API server's cache knows nothing yet.
func TestANewImageSetIsFound(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/clusterimagesets") {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(
				[]byte(
					`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"details":{"name":"x"}}`,
				),
			)
			return
		}
		list := hostedtest.Object{"kind": "ClusterImageSetList", "apiVersion": "hive.openshift.io/v1", "items": []any{}}
		if r.URL.Query().Get("resourceVersion") == "" {
			list["items"] = []any{hostedtest.Object{
				"kind": "ClusterImageSet", "apiVersion": "hive.openshift.io/v1", "metadata": hostedtest.Object{"name": "new"},
				"spec": hostedtest.Object{"releaseImage": "quay.io/openshift-release-dev/ocp-release:4.20.9-multi"},
			}}
		}
		_ = json.NewEncoder(w).Encode(list)
	}))
	defer server.Close()
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Resolve(t.Context(), c.Reader(informer.NewCache(t.Context())),
		Request{Version: exactly("4.20.9"), Arch: "amd64"})
	if err != nil || got.From != "ClusterImageSet new" {
		t.Errorf("%+v, %v", got, err)
	}
}
