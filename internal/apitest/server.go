// Package apitest is an API server for tests: it serves one kind, with lists in pages, watches that can be broken, and
// creates, patches and deletes. What only a real API server can prove is tested in a sandbox.
package apitest

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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
)

// Object is the JSON of an object.
type Object = map[string]any

// Server is an API server of one kind. Set and Delete change its objects.
type Server struct {
	// Answer may answer a request in place of the server and return true. It may be nil.
	Answer func(w http.ResponseWriter, r *http.Request) bool

	// base is the path of the version, groupVersion the apiVersion of objects.
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

// event is one encoded change.
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

// Set stores an object, returns its new version and sends it to the watches. Do not change the object afterwards.
func (s *Server) Set(o Object) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := "MODIFIED"
	if s.objects[key(o)] == nil {
		what = "ADDED"
	}
	s.objects[key(o)] = o
	return s.tell(what, o)
}

// Delete removes an object and sends that to the watches.
func (s *Server) Delete(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[namespace+"/"+name]
	delete(s.objects, namespace+"/"+name)
	s.tell("DELETED", o)
}

// Break ends every current watch, as a proxy may do.
func (s *Server) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken++
	s.more.Broadcast()
}

// Compact forgets all events. A watch from an earlier version then gets an error.
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

// tell sets the object's version and keeps the event. The caller holds mu.
func (s *Server) tell(what string, o Object) string {
	s.latest++
	meta, _ := o["metadata"].(Object)
	// A list may be encoding the same map at this moment.
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
	asked, known := s.asked(r)
	switch {
	case !known:
		http.Error(w, "404 page not found", http.StatusNotFound)
	case r.Method != http.MethodGet:
		s.write(w, r, asked)
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r, asked)
	case asked.path:
		s.get(w, asked)
	default:
		s.list(w, r, asked)
	}
}

// question selects the objects of a request.
type question struct {
	namespace, name string
	// path is whether the name is in the path.
	path bool
	// labels and fields select the objects of a list. Watches know metadata.name only.
	labels labels.Selector
	fields fields.Selector
}

// matches reports whether a list has the object.
func (q question) matches(o Object) bool {
	set := fields.Set{}
	for _, r := range q.fields.Requirements() {
		set[r.Field], _, _ = unstructured.NestedString(o, strings.Split(r.Field, ".")...)
	}
	return q.labels.Matches(labelsOf(o)) && q.fields.Matches(set)
}

func (q question) has(namespace, name string) bool {
	return (q.namespace == "" || q.namespace == namespace) && (q.name == "" || q.name == name)
}

func (s *Server) asked(r *http.Request) (q question, known bool) {
	rest, known := strings.CutPrefix(r.URL.Path, s.base)
	parts := strings.Split(rest, "/")
	if parts[0] == "namespaces" && len(parts) > 2 {
		q.namespace, parts = parts[1], parts[2:]
	}
	if len(parts) == 2 {
		q.name, q.path = parts[1], true
	} else {
		name, selected := strings.CutPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
		if selected {
			q.name = name
		}
	}
	var err error
	q.labels, err = labels.Parse(r.URL.Query().Get("labelSelector"))
	must(err)
	q.fields, err = fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	must(err)
	return q, known && parts[0] == s.plural && len(parts) <= 2
}

// Serves reports whether the request is about the server's kind.
func (s *Server) Serves(r *http.Request) bool {
	_, known := s.asked(r)
	return known
}

func (s *Server) get(w http.ResponseWriter, q question) {
	s.mu.Lock()
	o := s.objects[q.namespace+"/"+q.name]
	s.mu.Unlock()
	if o == nil {
		Refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	}
	Reply(w, http.StatusOK, o)
}

// list sends a page. The continue token has the version of the first page and the next index.
func (s *Server) list(w http.ResponseWriter, r *http.Request, q question) {
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
	if wanted, err := labels.Parse(r.URL.Query().Get("labelSelector")); err == nil {
		items = slices.DeleteFunc(items, func(o Object) bool { return !wanted.Matches(labelsOf(o)) })
	}
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

func labelsOf(o Object) labels.Set {
	meta, _ := o["metadata"].(Object)
	all, _ := meta["labels"].(Object)
	set := labels.Set{}
	for name, value := range all {
		set[name], _ = value.(string)
	}
	return set
}

// watch sends the events after the requested version.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, q question) {
	version, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	// A request that ends must wake its watch.
	defer s.onEnd(r)()
	s.mu.Lock()
	defer s.mu.Unlock()
	broken := s.broken
	for {
		if version < s.oldest {
			s.mu.Unlock()
			_ = json.NewEncoder(w).Encode(Object{"type": "ERROR", "object": status(http.StatusGone, metav1.StatusReasonExpired)})
			_ = flush()
			s.mu.Lock()
			return
		}
		next, _ := slices.BinarySearchFunc(s.events, version+1, func(e event, v int) int { return e.version - v })
		batch := s.events[next:]
		if len(batch) == 0 {
			if r.Context().Err() != nil || s.broken != broken {
				return
			}
			s.more.Wait()
			continue
		}
		s.mu.Unlock()
		for _, e := range batch {
			if version = e.version; q.has(e.namespace, e.name) {
				_, _ = w.Write(e.line)
			}
		}
		_ = flush()
		s.mu.Lock()
	}
}

// onEnd wakes the watches when the request ends, until its result is called.
func (s *Server) onEnd(r *http.Request) func() {
	over := make(chan struct{})
	go func() {
		select {
		case <-r.Context().Done():
			s.mu.Lock()
			defer s.mu.Unlock()
			s.more.Broadcast()
		case <-over:
		}
	}()
	return func() { close(over) }
}

// Reply writes JSON.
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
