package kubetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/hcctl/hcctl/pkg/kube"
)

// API is an API server with every kind of Kubernetes and OpenShift, and the registered kinds of operators.
type API struct {
	// Client is a client of the API.
	Client *kube.Client
	// Answer may answer a request in place of the server and then returns true. It may be nil.
	Answer func(w http.ResponseWriter, r *http.Request) bool

	mu      sync.Mutex
	servers map[schema.GroupVersionResource]*Server
	kinds   map[schema.GroupVersionKind]kube.Kind
	refused map[string]int
	answers map[string]string
	denied  map[string]bool
	absent  map[schema.GroupVersionResource]bool
	// every serves all kinds that hcctl knows, bare only those that were registered.
	every, bare bool
	requests    []Request
	before      map[string]func()
}

// Serve starts an API server with the objects of YAML documents.
func Serve(t testing.TB, objects ...string) *API {
	t.Helper()
	a := &API{servers: map[schema.GroupVersionResource]*Server{},
		kinds: map[schema.GroupVersionKind]kube.Kind{}, refused: map[string]int{}, answers: map[string]string{},
		denied: map[string]bool{}, absent: map[schema.GroupVersionResource]bool{}, before: map[string]func(){}}
	cfg := Connect(a)
	// The server does not support protobuf.
	cfg.ContentType = "application/json"
	var err error
	if a.Client, err = kube.New(cfg); err != nil {
		t.Fatal(err)
	}
	a.Put(t, objects...)
	return a
}

// Put creates or replaces the objects of YAML documents.
func (a *API) Put(t testing.TB, objects ...string) {
	t.Helper()
	for _, documents := range objects {
		decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(documents), 4096)
		for {
			var o Object
			err := decoder.Decode(&o)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, documents)
			}
			if o != nil {
				identify(o)
				a.server(t, (&unstructured.Unstructured{Object: o}).GroupVersionKind()).Set(o)
			}
		}
	}
}

// identify sets a UID, which deletions need as a precondition.
func identify(o Object) {
	u := &unstructured.Unstructured{Object: o}
	u.SetUID(types.UID("uid-of-" + u.GetName()))
}

// Register serves kinds without objects. Kinds that hcctl does not know must be registered before their objects.
func (a *API) Register(t testing.TB, kinds ...kube.Kind) {
	t.Helper()
	for _, k := range kinds {
		a.mu.Lock()
		a.kinds[k.GroupVersionKind] = k
		a.mu.Unlock()
		a.server(t, k.GroupVersionKind)
	}
}

// Of returns the server of a kind that has objects or was registered. It panics if there is none.
func (a *API) Of(kind string) *Server {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.servers {
		if s.kind == kind {
			return s
		}
	}
	panic("no kind " + kind)
}

// Set stores objects of a kind unchanged, without the UID that Put sets.
func (a *API) Set(kind string, objects ...Object) {
	s := a.Of(kind)
	for _, o := range objects {
		o["apiVersion"], o["kind"] = s.groupVersion, kind
		s.Set(o)
	}
}

// Remove removes the CRD of a kind.
func (a *API) Remove(kind string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for resource, s := range a.servers {
		if s.kind == kind {
			delete(a.servers, resource)
			a.absent[resource] = true
		}
	}
	maps.DeleteFunc(a.kinds, func(gvk schema.GroupVersionKind, _ kube.Kind) bool { return gvk.Kind == kind })
}

// RegisterKinds serves kinds without objects, such as "v1", "Secret". Kinds that hcctl does not know are namespaced.
func (a *API) RegisterKinds(t testing.TB, groupVersion string, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		gvk := schema.FromAPIVersionAndKind(groupVersion, kind)
		if _, err := a.Client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
			a.server(t, gvk)
			continue
		}
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		a.Register(t, kube.Kind{GroupVersionKind: gvk, Plural: plural.Resource, Namespaced: true})
	}
}

// Path serves a path that is not one of objects, such as "/version".
func (a *API) Path(path, body string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[path] = body
}

// RegisterAll serves every kind that hcctl knows.
func (a *API) RegisterAll() { a.every = true }

func (a *API) server(t testing.TB, gvk schema.GroupVersionKind) *Server {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	resource := a.kinds[gvk].Resource()
	if resource.Resource == "" {
		mapping, err := a.Client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			t.Fatal(err)
		}
		resource = mapping.Resource
		a.kinds[gvk] = kube.Kind{GroupVersionKind: gvk, Plural: resource.Resource,
			Namespaced: mapping.Scope.Name() == meta.RESTScopeNameNamespace}
	}
	if a.servers[resource] == nil {
		a.servers[resource] = New(gvk.GroupVersion().String(), gvk.Kind, resource.Resource)
	}
	return a.servers[resource]
}

// Refuse makes requests fail with a status. request is a resource ("subscriptions.operators.coreos.com"), a verb and
// resource ("patch nodes"), a path ("get /api/v1/pods"), or a path prefix ("get /api/v1/*"). 404 means that the kind is
// not registered.
func (a *API) Refuse(request string, code int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused[request] = code
}

// Forbid makes requests fail with 403.
func (a *API) Forbid(request string) { a.Refuse(request, http.StatusForbidden) }

// Allow removes all statuses set by Refuse and Forbid.
func (a *API) Allow() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.refused)
}

// refusal returns the status for a request, 0 if it is not refused. The caller holds mu.
func (a *API) refusal(one Request, prefix string) int {
	for _, key := range []string{one.Verb + " " + one.Resource, one.Resource, one.Method + " " + one.Path, one.Path} {
		if code := a.refused[prefix+key]; code != 0 {
			return code
		}
	}
	for key, code := range a.refused {
		if begin, all := strings.CutSuffix(key, "*"); all && strings.HasPrefix(one.Method+" "+one.Path, begin) {
			return code
		}
	}
	return 0
}

// Deny removes a permission from the user, such as "create secrets". Only access reviews report it.
func (a *API) Deny(permission string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.denied[permission] = true
}

// Before runs do once, right before the next request such as "delete secrets" is answered. It simulates a change by
// another client between hcctl's read and its write.
func (a *API) Before(request string, do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.before[request] = do
}

// Object returns the current object, nil if it does not exist.
func (a *API) Object(t testing.TB, kind kube.Kind, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	o := a.server(t, kind.GroupVersionKind).Object(namespace, name)
	if o == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: o}
}

// Objects returns copies of all current objects, in no order.
func (a *API) Objects() []Object {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []Object
	for _, server := range a.servers {
		all = append(all, server.Objects()...)
	}
	return all
}

// Take returns the requests since the last call, without discovery and access reviews.
func (a *API) Take() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.requests
	a.requests = nil
	return taken
}

// Writes returns the requests since the last Take that are not reads.
func (a *API) Writes() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.requests), func(r Request) bool { return r.Verb == "get" || r.Verb == "list" })
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.Answer != nil && a.Answer(w, r) {
		return
	}
	if strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
		a.review(w, r)
		return
	}
	one, resource, ok := parseRequest(r)
	if a.answer(w, r, ok) {
		return
	}
	if one.Verb != "get" && one.Verb != "list" {
		one.Body = readBody(r)
	}
	a.mu.Lock()
	// A delete has its options in the body.
	if r.URL.Query().Get("dryRun") == "All" || one.Verb == "delete" && strings.Contains(one.Body, `"dryRun":["All"]`) {
		one.code = a.refusal(one, "dry run ")
	} else {
		if do := a.before[one.Verb+" "+one.Resource]; do != nil {
			delete(a.before, one.Verb+" "+one.Resource)
			a.mu.Unlock()
			do()
			a.mu.Lock()
		}
		one.code = a.refusal(one, "")
		one.Refused = one.code != 0
		a.requests = append(a.requests, one)
	}
	server := a.servers[resource]
	gvk, err := a.Client.RESTMapper().KindFor(resource)
	if err == nil && server == nil && !a.absent[resource] && (a.every || !a.bare && platform(resource.Group)) {
		server = New(gvk.GroupVersion().String(), gvk.Kind, resource.Resource)
		a.servers[resource] = server
	}
	a.mu.Unlock()
	switch {
	case one.code == http.StatusNotFound || one.code == 0 && server == nil:
		http.Error(w, "404 page not found", http.StatusNotFound)
	case one.code != 0:
		Refuse(w, one.code, reasons()[one.code])
	default:
		server.ServeHTTP(w, r)
	}
}

func reasons() map[int]metav1.StatusReason {
	return map[int]metav1.StatusReason{http.StatusForbidden: metav1.StatusReasonForbidden,
		http.StatusBadRequest: metav1.StatusReasonBadRequest,
		http.StatusConflict:   metav1.StatusReasonConflict, http.StatusInternalServerError: metav1.StatusReasonInternalError}
}

// platform reports whether every OpenShift cluster serves the group.
func platform(group string) bool {
	for _, suffix := range []string{"k8s.io", "openshift.io", "operators.coreos.com"} {
		if strings.HasSuffix(group, suffix) {
			return !slices.Contains([]string{"hypershift.openshift.io", "hive.openshift.io", "ocs.openshift.io",
				"odf.openshift.io", "local.storage.openshift.io", "multicluster.openshift.io"}, group)
		}
	}
	return group == "" || group == "apps"
}

// review answers an access review: every permission is allowed unless Deny was called for it.
func (a *API) review(w http.ResponseWriter, r *http.Request) {
	var review authorizationv1.SelfSubjectAccessReview
	_ = json.NewDecoder(r.Body).Decode(&review)
	a.mu.Lock()
	defer a.mu.Unlock()
	code := a.refused["selfsubjectaccessreviews"]
	if code != 0 {
		Refuse(w, code, reasons()[code])
		return
	}
	of := review.Spec.ResourceAttributes
	resource := schema.GroupResource{Group: of.Group, Resource: of.Resource}
	review.Status.Allowed = !a.denied[of.Verb+" "+resource.String()] && (of.Verb != "*" || len(a.denied) == 0)
	Reply(w, http.StatusCreated, review)
}

// readBody reads the body of a request and restores it.
func readBody(r *http.Request) string {
	if r.Body == nil {
		return ""
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}
