package kubetest

import (
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Request is one verb on one resource, as rules have it.
type Request struct {
	Verb, Resource, Namespace, Name string
	// Method and Path are those of HTTP, the method in small letters.
	Method, Path string
	// Body is what a write sends.
	Body string
	// Refused is whether a test had it refused.
	Refused bool
	code    int
}

// String is such as "patch storageclasses.storage.k8s.io fast" or "create secrets ns/".
func (r Request) String() string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return strings.TrimSpace(r.Verb + " " + r.Resource + " " + name)
}

// parseRequest reads method and path as the API server's authorization does. Discovery, and reviews of a user's own
// rights, which everybody may ask for, are none.
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

// selectedName is the name that a list is limited to, which authorization takes for a name.
func selectedName(query url.Values) string {
	name, ok := strings.CutPrefix(query.Get("fieldSelector"), "metadata.name=")
	if !ok {
		return ""
	}
	return name
}
