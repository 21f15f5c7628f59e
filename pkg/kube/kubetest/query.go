package kubetest

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// query selects the objects of a request.
type query struct {
	namespace, name string
	// path is set if the name is in the path.
	path bool
	// status is set for the status subresource.
	status bool
	// labels and fields select the objects of a list. Watches support only the field metadata.name.
	labels labels.Selector
	fields fields.Selector
}

// matches reports whether the selectors match the object.
func (q query) matches(o Object) bool {
	set := fields.Set{}
	for _, r := range q.fields.Requirements() {
		set[r.Field], _, _ = unstructured.NestedString(o, strings.Split(r.Field, ".")...)
	}
	return q.labels.Matches(labelsOf(o)) && q.fields.Matches(set)
}

func (q query) has(namespace, name string) bool {
	return (q.namespace == "" || q.namespace == namespace) && (q.name == "" || q.name == name)
}

func (s *Server) parseQuery(r *http.Request) (q query, known bool) {
	rest, known := strings.CutPrefix(r.URL.Path, s.base)
	parts := strings.Split(rest, "/")
	if parts[0] == "namespaces" && len(parts) > 2 {
		q.namespace, parts = parts[1], parts[2:]
	}
	if q.status = len(parts) == 3 && parts[2] == "status"; q.status {
		parts = parts[:2]
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

// Serves reports whether the request is for the server's kind.
func (s *Server) Serves(r *http.Request) bool {
	_, known := s.parseQuery(r)
	return known
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
