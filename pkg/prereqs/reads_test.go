package prereqs

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	rulepkg "github.com/hcctl/hcctl/pkg/rbac/rule"
)

// request is one verb on one resource, as rules have it.
type request struct{ verb, resource, namespace, name string }

// recorder is an API server that has few objects and writes down what it is asked.
type recorder struct {
	client *kube.Client
	mu     sync.Mutex
	asked  []request
	// objects are lists and single objects, by path.
	objects map[string]string
}

func newRecorder(t *testing.T, objects map[string]string) *recorder {
	t.Helper()
	r := &recorder{objects: objects}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	var err error
	if r.client, err = kube.New(&rest.Config{Host: server.URL}); err != nil {
		t.Fatal(err)
	}
	return r
}

// take returns what was asked since the last time.
func (r *recorder) take() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := r.asked
	r.asked = nil
	return asked
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	one, gvr, ok := parseRequest(q)
	if ok {
		r.mu.Lock()
		r.asked = append(r.asked, one)
		r.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	body, found := r.objects[q.URL.Path]
	if gvk, err := r.client.RESTMapper().KindFor(gvr); !found && ok && err == nil && one.verb == "list" {
		body, found = `{"apiVersion":"`+gvk.GroupVersion().String()+`","kind":"`+gvk.Kind+
			`List","metadata":{},"items":[]}`, true
	}
	if !found {
		w.WriteHeader(http.StatusNotFound)
		body = `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"NotFound","code":404,"details":{"name":"x"}}`
	}
	_, _ = w.Write([]byte(body))
}

// parseRequest reads method and path as the API server's authorization does. Discovery, and reviews of a user's own
// rights, which everybody may ask for, are none.
func parseRequest(q *http.Request) (request, schema.GroupVersionResource, bool) {
	parts := strings.Split(strings.Trim(q.URL.Path, "/"), "/")
	var gvr schema.GroupVersionResource
	switch {
	case len(parts) > 2 && parts[0] == "api":
		gvr.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis" && parts[1] != "authorization.k8s.io":
		gvr.Group, gvr.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return request{}, gvr, false
	}
	var one request
	if parts[0] == "namespaces" && len(parts) > 2 {
		one.namespace, parts = parts[1], parts[2:]
	}
	gvr.Resource = parts[0]
	one.resource = gvr.GroupResource().String()
	if len(parts) > 1 {
		one.name = parts[1]
	}
	one.verb = map[string]string{"GET": "get", "POST": "create", "PATCH": "patch", "PUT": "update",
		"DELETE": "delete"}[q.Method]
	if one.verb == "get" && one.name == "" {
		one.verb, one.name = "list", selectedName(q.URL.Query())
	}
	return one, gvr, true
}

// selectedName is the name that a list is limited to, which authorization takes for a name.
func selectedName(query url.Values) string {
	name, ok := strings.CutPrefix(query.Get("fieldSelector"), "metadata.name=")
	if !ok {
		return ""
	}
	return name
}

// allows tells whether a rule has the request.
func allows(r rulepkg.Rule, q request) bool {
	has := func(list, one string) bool { return slices.Contains(strings.Fields(list), one) }
	return has(r.Verbs, q.verb) && has(r.Resources, q.resource) && (r.Names == "" || has(r.Names, q.name)) &&
		(r.At.Namespace() == "" || r.At.Namespace() == q.namespace)
}

// someObjects are of a cluster on which the checks go further than on an empty one.
func someObjects(t *testing.T) map[string]string {
	t.Helper()
	object := func(apiVersion, kind, name string, rest map[string]any) map[string]any {
		out := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name,
			"labels": map[string]any{"node-role.kubernetes.io/worker": ""}}}
		for k, v := range rest {
			out[k] = v
		}
		return out
	}
	list := func(item map[string]any) map[string]any {
		kind, _ := item["kind"].(string)
		return map[string]any{"apiVersion": item["apiVersion"], "kind": kind + "List", "metadata": map[string]any{},
			"items": []any{item}}
	}
	const config, namespace = "config.openshift.io/v1", "/namespaces/openshift-"
	hub := object("operator.openshift.io/v1", "IngressController", "default",
		map[string]any{"spec": map[string]any{"routeAdmission": map[string]any{"wildcardPolicy": "WildcardsAllowed"}}})
	out := map[string]string{}
	for path, o := range map[string]map[string]any{
		"/apis/config.openshift.io/v1/clusterversions/version": object(config, "ClusterVersion", "version",
			map[string]any{"status": map[string]any{"history": []any{map[string]any{"state": "Completed",
				"version": "4.20.3"}}}}),
		"/apis/config.openshift.io/v1/infrastructures/cluster": object(config, "Infrastructure", "cluster",
			map[string]any{"status": map[string]any{"platformStatus": map[string]any{"type": "BareMetal"}}}),
		"/apis/config.openshift.io/v1/networks/cluster": object(config, "Network", "cluster",
			map[string]any{"status": map[string]any{"networkType": "OVNKubernetes",
				"clusterNetwork": []any{map[string]any{"cidr": "10.128.0.0/14", "hostPrefix": 23}}}}),
		"/apis/config.openshift.io/v1/ingresses/cluster": object(config,
			"Ingress", "cluster", nil),
		"/apis/operator.openshift.io/v1" + namespace + "ingress-operator/ingresscontrollers/default": hub,
		"/api/v1" + namespace + "config/secrets/pull-secret": object("v1", "Secret", "pull-secret",
			map[string]any{"type": "kubernetes.io/dockerconfigjson"}),
		"/api/v1/nodes": list(object("v1", "Node", "w1", nil)),
		"/apis/storage.k8s.io/v1/storageclasses": list(object("storage.k8s.io/v1", "StorageClass", "fast",
			map[string]any{"provisioner": "example.com/x"})),
		"/apis/multicluster.openshift.io/v1/multiclusterengines": list(object("multicluster.openshift.io/v1",
			"MultiClusterEngine", "multiclusterengine", map[string]any{"status": map[string]any{"currentVersion": "2.9.0"}})),
	} {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(text)
	}
	return out
}

// What a check asks of the API server is in the rights of its own prerequisite, on an empty cluster and on one that has
// something.
func TestRightsCoverWhatChecksRead(t *testing.T) {
	// hcctl check reads these as well, and only bootstrap's role has them.
	onlyBootstrap := request{verb: "get", resource: "managedclusters.cluster.open-cluster-management.io",
		name: "local-cluster"}
	for world, objects := range map[string]map[string]string{"empty": nil, "some": someObjects(t)} {
		r := newRecorder(t, objects)
		reads, excepted := 0, false
		for _, p := range prerequisites(ValidatedDefaults(), nil) {
			p.Check(t.Context(), r.client)
			for _, q := range r.take() {
				reads++
				excepted = excepted || q == onlyBootstrap
				if q != onlyBootstrap && !slices.ContainsFunc(p.Rights.Check, func(rule rulepkg.Rule) bool {
					return allows(rule, q)
				}) {
					t.Errorf("%s cluster: %s reads %+v, and its rights do not say so", world, p.ID, q)
				}
			}
		}
		if excepted != (objects != nil) {
			t.Errorf("%s cluster: the exception was read: %t", world, excepted)
		}
		if reads < 100 {
			t.Errorf("%s cluster: only %d reads", world, reads)
		}
	}
}
