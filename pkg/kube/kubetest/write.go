package kubetest

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// write answers a create, a merge patch, a server-side apply or a delete, or a dry run of a create, merge patch or
// delete. Any other write gets 405.
func (s *Server) write(w http.ResponseWriter, r *http.Request, q query) {
	var body Object
	if r.Body != nil {
		_ = json.NewDecoder(r.Body).Decode(&body)
	}
	if q.status {
		body = Object{"status": body["status"]}
	}
	manager := r.URL.Query().Get("fieldManager")
	dry := r.URL.Query().Get("dryRun") != "" || body["dryRun"] != nil
	if dry && r.Method != http.MethodPost && q.path {
		s = s.copyOf(q) // writes to the copy are lost
	}
	switch {
	case r.Method == http.MethodPost && !q.path && dry:
		Reply(w, http.StatusCreated, body)
	case r.Method == http.MethodPost && !q.path:
		s.create(w, q, body, manager)
	case r.Method == http.MethodPatch && q.path && r.Header.Get("Content-Type") == "application/merge-patch+json":
		s.patch(w, q, body)
	case r.Method == http.MethodPatch && q.path && r.Header.Get("Content-Type") == "application/apply-patch+yaml":
		s.apply(w, q, body, manager)
	case r.Method == http.MethodDelete && q.path:
		s.remove(w, q, body)
	default:
		Refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed)
	}
}

// copyOf returns a server with a copy of the object, if it exists.
func (s *Server) copyOf(q query) *Server {
	dry := New(s.groupVersion, s.kind, s.plural)
	if o := s.find(q.namespace, q.name); o != nil {
		dry.objects[q.namespace+"/"+q.name] = o
	}
	return dry
}

// find returns a copy of an object, nil if it does not exist.
func (s *Server) find(namespace, name string) Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clone(s.objects[namespace+"/"+name])
}

func (s *Server) create(w http.ResponseWriter, q query, body Object, manager string) {
	meta, _ := body["metadata"].(Object)
	name, _ := meta["name"].(string)
	if s.find(q.namespace, name) != nil {
		Refuse(w, http.StatusConflict, metav1.StatusReasonAlreadyExists)
		return
	}
	meta["uid"] = "uid-of-" + name
	if manager != "" {
		meta["managedFields"] = []any{Object{"manager": manager, "operation": "Update"}}
	}
	s.Set(body)
	Reply(w, http.StatusCreated, s.find(q.namespace, name))
}

// patch merges the body into the object. A patch with another resource version is a conflict; one that changes nothing
// keeps the version.
func (s *Server) patch(w http.ResponseWriter, q query, body Object) {
	before := s.find(q.namespace, q.name)
	if before == nil {
		Refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	}
	version := before["metadata"].(Object)["resourceVersion"]
	if meta, ok := body["metadata"].(Object); ok && meta["resourceVersion"] != nil && meta["resourceVersion"] != version {
		Refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
		return
	}
	if after := merge(clone(before), body); !reflect.DeepEqual(after, before) {
		s.Set(after)
	}
	Reply(w, http.StatusOK, s.find(q.namespace, q.name))
}

// apply creates the object or merges the body into it, without regard to field owners. Clients send the body as JSON.
func (s *Server) apply(w http.ResponseWriter, q query, body Object, manager string) {
	if s.find(q.namespace, q.name) == nil {
		s.create(w, q, body, manager)
		return
	}
	s.patch(w, q, body)
}

// remove deletes an object. If it has finalizers, it only gets a deletion timestamp.
func (s *Server) remove(w http.ResponseWriter, q query, body Object) {
	o := s.find(q.namespace, q.name)
	if o == nil {
		Refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	}
	meta := o["metadata"].(Object)
	conditions, _ := body["preconditions"].(Object)
	for _, field := range []string{"uid", "resourceVersion"} {
		if conditions[field] != nil && conditions[field] != meta[field] {
			Refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
			return
		}
	}
	if finalizers, _ := meta["finalizers"].([]any); len(finalizers) > 0 {
		meta["deletionTimestamp"] = "2026-03-01T12:00:00Z"
		s.Set(o)
	} else {
		s.Delete(q.namespace, q.name)
	}
	Reply(w, http.StatusOK, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess,
	})
}

// merge applies a JSON merge patch (RFC 7386).
func merge(to, patch Object) Object {
	for k, v := range patch {
		switch inner, isMap := v.(Object); {
		case v == nil:
			delete(to, k)
		case isMap:
			old, _ := to[k].(Object)
			to[k] = merge(maps.Clone(orEmpty(old)), inner)
		default:
			to[k] = v
		}
	}
	return to
}

func orEmpty(o Object) Object {
	if o == nil {
		return Object{}
	}
	return o
}

// clone copies an object through JSON.
func clone(o Object) Object {
	if o == nil {
		return nil
	}
	data, err := json.Marshal(o)
	must(err)
	var out Object
	must(json.Unmarshal(data, &out))
	return out
}

// Put stores objects of a Go type like Set, with the kind of the server.
func (s *Server) Put(objects ...metav1.Object) {
	for _, typed := range objects {
		data, err := json.Marshal(typed)
		must(err)
		var o Object
		must(json.Unmarshal(data, &o))
		o["apiVersion"], o["kind"] = s.groupVersion, s.kind
		s.Set(o)
	}
}

// Object returns a copy of the current object, nil if it does not exist.
func (s *Server) Object(namespace, name string) Object { return s.find(namespace, name) }

// Forbid makes requests of a method fail with 403, or all requests if it is empty.
func (s *Server) Forbid(method string) {
	s.Answer = func(w http.ResponseWriter, r *http.Request) bool {
		if method != "" && r.Method != method {
			return false
		}
		Refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden)
		return true
	}
}

// Objects returns copies of all current objects, in no order.
func (s *Server) Objects() []Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Object, 0, len(s.objects))
	for _, o := range s.objects {
		out = append(out, clone(o))
	}
	return out
}
