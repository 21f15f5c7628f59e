package kubetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Object is an object decoded from JSON.
type Object = map[string]any

// Server is an API server of one kind. Set and Delete change its objects.
type Server struct {
	// Answer may answer a request in place of the server and then returns true. It may be nil.
	Answer func(w http.ResponseWriter, r *http.Request) bool

	// base is the URL path of the group version, groupVersion the apiVersion of objects.
	base, groupVersion, kind, plural string

	mu       sync.Mutex
	more     *sync.Cond
	objects  map[string]Object
	events   []event
	latest   int
	oldest   int
	broken   int
	requests []string
}

// event is one encoded watch event.
type event struct {
	version   int
	namespace string
	name      string
	line      []byte
}

// New returns a Server of a kind, such as "hypershift.openshift.io/v1beta1", "HostedCluster", "hostedclusters".
func New(groupVersion, kind, plural string) *Server {
	s := &Server{
		base: "/apis/" + groupVersion + "/", groupVersion: groupVersion, kind: kind, plural: plural,
		objects: map[string]Object{}, latest: 1,
	}
	if !strings.Contains(groupVersion, "/") {
		s.base = "/api/" + groupVersion + "/"
	}
	s.more = sync.NewCond(&s.mu)
	return s
}

// Serve listens until the test ends and returns the connection.
func (s *Server) Serve(t testing.TB) *rest.Config {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return &rest.Config{Host: server.URL}
}

// Set stores an object, sends it to the watches and returns its new version. The caller must not change the object
// afterwards.
func (s *Server) Set(o Object) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := "MODIFIED"
	if s.objects[key(o)] == nil {
		what = "ADDED"
	}
	s.objects[key(o)] = o
	return s.publish(what, o)
}

// Delete removes an object and sends a DELETED event to the watches.
func (s *Server) Delete(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[namespace+"/"+name]
	delete(s.objects, namespace+"/"+name)
	s.publish("DELETED", o)
}

// Break ends every current watch, like a proxy.
func (s *Server) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken++
	s.more.Broadcast()
}

// Compact removes all events. A watch from an earlier version then gets error 410.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events, s.oldest = nil, s.latest
	s.more.Broadcast()
}

// Requests returns the requests so far, as "METHOD path?query".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// publish sets the object's version and records the event. The caller holds mu.
func (s *Server) publish(what string, o Object) string {
	s.latest++
	meta, _ := o["metadata"].(Object)
	// A list may be encoding the same map concurrently.
	meta = maps.Clone(meta)
	meta["resourceVersion"] = strconv.Itoa(s.latest)
	fresh := maps.Clone(o)
	fresh["metadata"] = meta
	if what != "DELETED" {
		s.objects[key(o)] = fresh
	}
	line, err := json.Marshal(Object{"type": what, "object": fresh})
	if err != nil {
		panic(err)
	}
	namespace, _ := meta["namespace"].(string)
	name, _ := meta["name"].(string)
	s.events = append(s.events, event{s.latest, namespace, name, append(line, '\n')})
	s.more.Broadcast()
	return strconv.Itoa(s.latest)
}

func key(o Object) string {
	meta, _ := o["metadata"].(Object)
	namespace, _ := meta["namespace"].(string)
	name, _ := meta["name"].(string)
	return namespace + "/" + name
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.String())
	s.mu.Unlock()
	if s.Answer != nil && s.Answer(w, r) {
		return
	}
	q, known := s.parseQuery(r)
	switch {
	case !known:
		http.Error(w, "404 page not found", http.StatusNotFound)
	case r.Method != http.MethodGet:
		s.write(w, r, q)
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r, q)
	case q.path:
		s.get(w, q)
	default:
		s.list(w, r, q)
	}
}

func (s *Server) get(w http.ResponseWriter, q query) {
	s.mu.Lock()
	o := s.objects[q.namespace+"/"+q.name]
	s.mu.Unlock()
	if o == nil {
		Refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	}
	Reply(w, http.StatusOK, o)
}

// list sends a page. The continue token contains the version of the first page and the next index.
func (s *Server) list(w http.ResponseWriter, r *http.Request, q query) {
	s.mu.Lock()
	names := slices.Sorted(maps.Keys(s.objects))
	items := make([]Object, 0, len(names))
	for _, name := range names {
		namespace, own, _ := strings.Cut(name, "/")
		if q.has(namespace, own) && q.matches(s.objects[name]) {
			items = append(items, s.objects[name])
		}
	}
	version, from := s.latest, 0
	s.mu.Unlock()
	meta := Object{}
	if token := r.URL.Query().Get("continue"); token != "" {
		_, _ = fmt.Sscanf(token, "%d-%d", &version, &from)
	}
	items = items[min(from, len(items)):]
	if limit, _ := strconv.Atoi(r.URL.Query().Get("limit")); limit > 0 && len(items) > limit {
		items = items[:limit]
		meta["continue"] = fmt.Sprintf("%d-%d", version, from+limit)
	}
	meta["resourceVersion"] = strconv.Itoa(version)
	list := Object{"apiVersion": s.groupVersion, "kind": s.kind + "List", "metadata": meta, "items": items}
	if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
		list["apiVersion"], list["kind"] = "meta.k8s.io/v1", "PartialObjectMetadataList"
	}
	Reply(w, http.StatusOK, list)
}

// Reply writes body as JSON.
func Reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

// Refuse writes a Status as an API server does.
func Refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	Reply(w, code, status(code, reason))
}

func status(code int, reason metav1.StatusReason) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{
			APIVersion: "v1", Kind: "Status",
		}, Status: metav1.StatusFailure, Code: int32(code), //nolint:gosec // a status code is small
		Reason: reason, Message: string(reason), Details: &metav1.StatusDetails{Name: "x"},
	}
}
