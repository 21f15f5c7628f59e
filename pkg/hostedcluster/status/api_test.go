package status

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
)

// object is the JSON of an object.
type object = map[string]any

// fake is an API server of what it is given: objects by path, lists by the path of their resource, each answer a page
// of two objects. A resource it does not know gets the plain 404 of an API server without that CRD.
type fake struct {
	t       *testing.T
	answers map[string]any
	// watches has one stream for each watch that is begun, in turn; a watch beyond them stays silent.
	watches []chan object

	mu       sync.Mutex
	requests []string
}

func (f *fake) client() *kube.Client {
	f.t.Helper()
	server := httptest.NewServer(f)
	f.t.Cleanup(server.CloseClientConnections)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// asked are the requests so far.
func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.requests...)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests = append(f.requests, r.URL.String())
	answer, ok := f.answers[r.URL.Path]
	var stream chan object
	if r.URL.Query().Get("watch") != "" && len(f.watches) > 0 {
		stream, f.watches = f.watches[0], f.watches[1:]
	}
	f.mu.Unlock()
	if r.Method != http.MethodGet {
		f.t.Errorf("%s %s: only reads are expected", r.Method, r.URL)
	}
	if r.URL.Query().Get("watch") != "" {
		f.watch(w, r, stream)
		return
	}
	list, isList := answer.([]any)
	switch code, isCode := answer.(int); {
	case isCode:
		reply(w, code, refusal(code))
	case isList:
		page(w, r, list)
	case ok:
		reply(w, http.StatusOK, answer)
	default:
		resource := r.URL.Path[:strings.LastIndex(r.URL.Path, "/")]
		if _, known := f.answers[resource].([]any); !known {
			http.Error(w, "404 page not found", http.StatusNotFound)
			return
		}
		reply(w, http.StatusNotFound, refusal(http.StatusNotFound))
	}
}

// page answers with two objects of the list at a time, where a limit is asked for; with those of a name where a field
// selector asks for it.
func page(w http.ResponseWriter, r *http.Request, list []any) {
	if name, ok := strings.CutPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name="); ok {
		var own []any
		for _, item := range list {
			if item.(object)["metadata"].(object)["name"] == name {
				own = append(own, item)
			}
		}
		list = own
	}
	meta := object{"resourceVersion": "100"}
	apiVersion, kind := "v1", "List"
	if len(list) > 0 {
		apiVersion, kind = list[0].(object)["apiVersion"].(string), list[0].(object)["kind"].(string)+"List"
	}
	if r.URL.Query().Get("limit") != "" {
		from := 0
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
		if rest := list[from:]; len(rest) > 2 {
			list, meta["continue"] = rest[:2], fmt.Sprint(from+2)
		} else {
			list = rest
		}
	}
	reply(w, http.StatusOK, object{"apiVersion": apiVersion, "kind": kind, "metadata": meta,
		"items": append([]any{}, list...)})
}

func (f *fake) watch(w http.ResponseWriter, r *http.Request, stream chan object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		select {
		case event, open := <-stream:
			if !open {
				return
			}
			_ = json.NewEncoder(w).Encode(event)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func refusal(code int) metav1.Status {
	s := metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: int32(code)}
	switch code {
	case http.StatusNotFound:
		s.Reason, s.Message, s.Details = metav1.StatusReasonNotFound, "not found", &metav1.StatusDetails{Name: "x"}
	case http.StatusForbidden:
		s.Reason, s.Message = metav1.StatusReasonForbidden, `User "dev" may not`
	case http.StatusGone:
		s.Reason, s.Message = metav1.StatusReasonExpired, "too old resource version"
	}
	return s
}

func reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

const (
	clustersPath = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters"
	allPath      = "/apis/hypershift.openshift.io/v1beta1/hostedclusters"
	poolsPath    = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools"
	allPoolsPath = "/apis/hypershift.openshift.io/v1beta1/nodepools"
)

// cluster is a HostedCluster with a version of its own, as the API server gives it.
func cluster(namespace, name, version string, status object) object {
	return object{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
		"metadata": object{"namespace": namespace, "name": name, "uid": namespace + name, "resourceVersion": version,
			"creationTimestamp": "2026-03-01T10:00:00Z"},
		"spec": object{"infraID": name, "controllerAvailabilityPolicy": "HighlyAvailable",
			"release": object{"image": "registry.example/ocp:" + name}},
		"status": status,
	}
}

// nodePool is a NodePool of a cluster.
func nodePool(name, of string, spec, status object) object {
	spec["clusterName"] = of
	return object{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": object{"namespace": "clusters", "name": name, "uid": name, "resourceVersion": "1",
			"creationTimestamp": "2026-03-01T10:00:00Z"},
		"spec": spec, "status": status,
	}
}

// said are conditions, each as "Type Status Reason message".
func said(conditions ...string) []any {
	var out []any
	for _, c := range conditions {
		f := strings.SplitN(c+"   ", " ", 4)
		out = append(out, object{"type": f[0], "status": f[1], "reason": f[2], "message": strings.TrimSpace(f[3])})
	}
	return out
}
