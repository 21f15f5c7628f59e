// Package apitest is an API server for tests: it serves one kind, with lists in pages, watches that can be broken, and
// creates, merge patches and deletes. What only a real API server can prove is tested in a sandbox.
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
	"k8s.io/client-go/rest"
)

// Object is the JSON of an object.
type Object = map[string]any

// Server is an API server of one kind. Its state is changed with Set and Delete.
type Server struct {
	// Answer may answer a request in the server's place, and then returns true. Nil leaves all to the server.
	Answer func(w http.ResponseWriter, r *http.Request) bool

	// base is the path of the version, and groupVersion what objects call it.
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

// event is one change, ready to be sent.
type event struct {
	version   int
	namespace string
	name      string
	line      []byte
}

// New is a Server of a kind, such as "hypershift.openshift.io/v1beta1", "HostedCluster", "hostedclusters".
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

// Serve has it listen until the test ends, and returns how to reach it.
func (s *Server) Serve(t testing.TB) *rest.Config {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return &rest.Config{Host: server.URL}
}

// Set writes an object under a new version, which it returns, and tells the watches. The object is kept: it must not
// be changed afterwards, beyond what Set does to its version.
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

// Delete removes an object and tells the watches.
func (s *Server) Delete(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[namespace+"/"+name]
	delete(s.objects, namespace+"/"+name)
	s.tell("DELETED", o)
}

// Break ends every watch that is under way, as a proxy does that has had enough.
func (s *Server) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken++
	s.more.Broadcast()
}

// Compact forgets all that has been: a watch from an earlier version is told that it is too old.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events, s.oldest = nil, s.latest
	s.more.Broadcast()
}

// Requests are those so far, as "METHOD path?query".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// tell gives the object its version and keeps the event. The caller holds mu.
func (s *Server) tell(what string, o Object) string {
	s.latest++
	meta, _ := o["metadata"].(Object)
	// Lists may be written from the same map at this moment.
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
	return fmt.Sprint(meta["namespace"], "/", meta["name"])
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

// question is which objects a request is about.
type question struct {
	namespace, name string
	// path is whether the name stands in the path.
	path bool
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
		q.name = strings.TrimPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
	}
	return q, known && parts[0] == s.plural && len(parts) <= 2
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

// list answers with a page. The continue token has the version of the first page, which is that of the list, and where
// to go on.
func (s *Server) list(w http.ResponseWriter, r *http.Request, q question) {
	s.mu.Lock()
	names := slices.Sorted(maps.Keys(s.objects))
	items := make([]Object, 0, len(names))
	for _, name := range names {
		namespace, own, _ := strings.Cut(name, "/")
		if q.has(namespace, own) {
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
	Reply(
		w, http.StatusOK,
		Object{"apiVersion": s.groupVersion, "kind": s.kind + "List", "metadata": meta, "items": items},
	)
}

// watch sends what happens from the asked version on.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, q question) {
	version, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	// A request that ends must not be waited for by those who wait for events.
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

// onEnd wakes the watches when the request ends, until what it returns is called.
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

// Refuse writes a Status, as an API server does.
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
