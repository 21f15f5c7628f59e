package fakeapi

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// FakeAPI answers reads: objects by path, lists by the path of their resource. A resource it does not know gets the plain 404 of
// an API server without that CRD; an object it does not know, where it knows the resource, a NotFound. A Status is answered as one.
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
			if list, isObject := a.(Object); isObject && strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
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
			Status:   metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Message: name + " not found",
			Details: &metav1.StatusDetails{Name: name},
		})
	}))
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// PlanningAPI answers as FakeAPI does, lets everything be deleted by dry runs, and its user do everything.
func PlanningAPI(t *testing.T, answers map[string]any) *kube.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, known := answers[r.URL.Path]
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews"):
			reply(w, http.StatusCreated, Object{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": Object{"allowed": true}})
		case r.Method == http.MethodDelete && strings.Contains(r.URL.RawQuery+body(r), "All"):
			reply(w, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess})
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

// typed gives an object or list the kind that a client expects.
func typed(a Object, r *http.Request) Object {
	kinds := map[string]string{"secrets": "Secret", "configmaps": "ConfigMap", "hostedclusters": "HostedCluster", "namespaces": "Namespace", "nodepools": "NodePool"}
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

// Refused is the answer to who may not read that.
func Refused() metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden, Message: "not for you",
	}
}

// Object is the JSON of an object, and items that of a list.
type Object = map[string]any

func Items(list ...any) Object { return Object{"items": append([]any{}, list...)} }

// The paths of what is read.
const (
	ClustersPath   = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters"
	AllPath        = "/apis/hypershift.openshift.io/v1beta1/hostedclusters"
	PoolsPath      = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools"
	MapsPath       = "/api/v1/namespaces/clusters/configmaps"
	SecretsPath    = "/api/v1/namespaces/clusters/secrets"
	ConfigPath     = "/api/v1/namespaces/openshift-config/secrets"
	SupportedPath  = "/api/v1/namespaces/hypershift/configmaps"
	ImageSetsPath  = "/apis/hive.openshift.io/v1/clusterimagesets"
	VersionsPath   = "/apis/config.openshift.io/v1/clusterversions"
	NamespacesPath = "/api/v1/namespaces"
	ManagedPath    = "/apis/cluster.open-cluster-management.io/v1/managedclusters"
)

func MetaOf(namespace, name string, labels Object) Object {
	return Object{"namespace": namespace, "name": name, "labels": labels}
}

// Store is an API server that keeps what is created, and says what it was asked.
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
			Status:   metav1.StatusFailure, Reason: reason, Code: int32(code), Message: string(reason), Details: &metav1.StatusDetails{Name: "x"},
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

// patch merges the annotations of a merge patch, which is all that the steps send.
func (s *Store) patch(w http.ResponseWriter, path string, fields Object) {
	s.Asked = append(s.Asked, "patch "+path)
	obj, _ := s.Objects[path].(Object)
	meta, _ := obj["metadata"].(Object)
	annotations, _ := meta["annotations"].(Object)
	maps.Copy(annotations, fields["metadata"].(Object)["annotations"].(Object))
	reply(w, http.StatusOK, Object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": meta})
}

func (s *Store) Client(t *testing.T) *kube.Client {
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

// Management is a management cluster with HyperShift and no hosted cluster; changes lay over it.
func Management(changes map[string]any) map[string]any {
	world := map[string]any{
		ClustersPath:                          Items(),
		AllPath:                               Items(),
		SecretsPath:                           Items(),
		ConfigPath:                            Items(),
		ConfigPath + "/pull-secret":           Object{"metadata": MetaOf("openshift-config", "pull-secret", nil), "data": Object{".dockerconfigjson": Encoded(PullSecret)}},
		SupportedPath:                         Items(),
		SupportedPath + "/supported-versions": Object{"data": Object{"supported-versions": `{"versions":["4.20","4.19"]}`}},
		VersionsPath:                          Items(),
		VersionsPath + "/version":             ClusterVersion("4.20.3"),
	}
	maps.Copy(world, changes)
	return world
}

func Encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func ClusterVersion(version string) Object {
	return Object{"status": Object{
		"desired": Object{"version": "4.21.0", "image": "registry.example/next"},
		"history": []any{
			Object{"state": "Partial", "version": "4.21.0", "image": "registry.example/next"},
			Object{"state": "Completed", "version": version, "image": "registry.example/own"},
		},
	}}
}

func ImageSetObject(name, image string) Object {
	return Object{"apiVersion": "hive.openshift.io/v1", "kind": "ClusterImageSet", "metadata": Object{"name": name}, "spec": Object{"releaseImage": image}}
}

func Expect(t *testing.T, got step.Finding, want string) {
	t.Helper()
	if diff := cmp.Diff(want, told(got)); diff != "" {
		t.Error(diff)
	}
}

// told is what a person reads of a finding.
func told(f step.Finding) string {
	if f.Object == "" {
		return f.State.String() + ": " + f.Message
	}
	return f.State.String() + ": " + f.Object + ": " + f.Message
}

func Message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Live is a HostedCluster as the API server gives it.
func Live(status Object) Object {
	return Object{"metadata": MetaOf("clusters", "kv-00", nil), "status": status}
}

// Hosted is a HostedCluster that was created at a time of the day.
func Hosted(namespace, name, infraID, clusterID, at string) Object {
	meta := MetaOf(namespace, name, nil)
	meta["uid"], meta["creationTimestamp"] = "uid-of-"+namespace+"-"+name, "2026-01-02T"+at+"Z"
	return Object{"metadata": meta, "spec": Object{"infraID": infraID, "clusterID": clusterID}}
}

const AddressPoolsPath = "/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools"

// AddressPool is a pool for those namespaces; create remembers those in recorded.
func AddressPool(name string, recorded []string, namespaces ...any) Object {
	meta := MetaOf("metallb-system", name, nil)
	meta["resourceVersion"] = "7"
	annotations := Object{"mine": "kept"}
	for _, n := range recorded {
		annotations["serves.hcctl.dev/"+n] = "clusters/kv-00"
	}
	meta["annotations"] = annotations
	return Object{
		"apiVersion": "metallb.io/v1beta1", "kind": "IPAddressPool", "metadata": meta,
		"spec": Object{"addresses": []any{"192.0.2.0/28"}, "serviceAllocation": Object{"priority": 5, "namespaces": namespaces}},
	}
}

// Written is an API server that answers with the world, and keeps the patches it gets by the object's name.
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

// UnfinishedMeta is that of an object that a create of clusters/kv-00 has left before there was a HostedCluster.
func UnfinishedMeta(name, infraID string) Object {
	meta := MetaOf("clusters", name, Object{kube.ManagedByLabel: kube.FieldOwner, "hypershift.openshift.io/auto-created-for-infra": infraID})
	meta["annotations"] = Object{"hcctl.dev/hosted-cluster": "clusters/kv-00"}
	meta["managedFields"] = []any{Object{"manager": kube.FieldOwner, "operation": "Update"}}
	return meta
}

// PullSecret is a pull secret for two registries.
const PullSecret = `{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"},"registry.redhat.io":{"auth":"dXNlcjpwYXNz","email":"a@b.c"}}}`
