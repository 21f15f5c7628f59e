package kubetest

import (
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Request is one verb on one resource, as in RBAC rules.
type Request struct {
	Verb, Resource, Namespace, Name string
	// Method and Path are those of HTTP, the method in lower case.
	Method, Path string
	// Body is the body of a write.
	Body string
	// Refused is set if the test made the request fail.
	Refused bool
	code    int
}

// String returns text such as "patch storageclasses.storage.k8s.io fast" or "create secrets ns/".
func (r Request) String() string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return strings.TrimSpace(r.Verb + " " + r.Resource + " " + name)
}

// parseRequest derives verb and resource from method and path as the API server's authorization does. It returns false
// for discovery and for access reviews, which every user may create.
func parseRequest(q *http.Request) (Request, schema.GroupVersionResource, bool) {
	parts := strings.Split(strings.Trim(q.URL.Path, "/"), "/")
	var gvr schema.GroupVersionResource
	switch {
	case len(parts) > 2 && parts[0] == "api":
		gvr.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis" && parts[1] != "authorization.k8s.io":
		gvr.Group, gvr.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return Request{}, gvr, false
	}
	one := Request{Method: strings.ToLower(q.Method), Path: q.URL.Path}
	if parts[0] == "namespaces" && len(parts) > 2 {
		one.Namespace, parts = parts[1], parts[2:]
	}
	gvr.Resource = parts[0]
	one.Resource = gvr.GroupResource().String()
	if len(parts) > 1 {
		one.Name = parts[1]
	}
	one.Verb = map[string]string{"GET": "get", "POST": "create", "PATCH": "patch", "PUT": "update",
		"DELETE": "delete"}[q.Method]
	if one.Verb == "get" && one.Name == "" {
		one.Verb, one.Name = "list", selectedName(q.URL.Query())
	}
	return one, gvr, true
}

// selectedName returns the name to which a list is limited, which authorization treats as the object's name.
func selectedName(query url.Values) string {
	name, ok := strings.CutPrefix(query.Get("fieldSelector"), "metadata.name=")
	if !ok {
		return ""
	}
	return name
}
