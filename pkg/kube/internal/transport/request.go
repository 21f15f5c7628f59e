package transport

import (
	"net/http"
	"slices"
	"strings"
)

// requestInfo is what a request is about, as its URL says.
type requestInfo struct {
	// what is it for a person, such as "a list of nodes".
	what string
	// size is the limit of the answer.
	size Size
	// list, events and log are whether it asks for a list, a watch or a log.
	list, events, log bool
}

// requestInfo tells what a request is about, and how much may be answered.
func (l Limits) requestInfo(r *http.Request) requestInfo {
	path := r.URL.Path
	if strings.HasSuffix(path, "/log") {
		return requestInfo{what: "the log " + path, size: Size{l.Log, 0}, log: true}
	}
	root, resource, name := parsePath(path)
	switch {
	case root == "":
		return requestInfo{what: path, size: l.Object}
	case resource == "":
		return requestInfo{what: "the kinds it has (" + path + ")", size: l.Kinds}
	case name != "" && !r.URL.Query().Has("watch"):
		return requestInfo{what: strings.SplitN(resource, ".", 2)[0] + " " + name, size: l.Object}
	case r.URL.Query().Has("watch"):
		return requestInfo{what: "one event of a watch of " + resource, size: l.Event, events: true}
	case r.Method == http.MethodGet, r.Method == http.MethodDelete:
		return requestInfo{what: "a list of " + resource, size: l.page(resource), list: r.Method == http.MethodGet}
	}
	return requestInfo{what: "the answer to a write of " + resource, size: l.Object}
}

// parsePath takes the path of an API request apart: root is "api" or "apis", resource is named with its group, name
// with its namespace. The path may have something before it, where the API server is behind a proxy.
func parsePath(path string) (root, resource, name string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	at := slices.IndexFunc(parts, func(s string) bool { return s == "api" || s == "apis" || s == "openapi" })
	if at < 0 {
		return "", "", ""
	}
	root, parts = parts[at], parts[at+1:]
	group := ""
	if root == "apis" && len(parts) > 0 {
		group, parts = "."+parts[0], parts[1:]
	}
	if root == "openapi" || len(parts) < 2 {
		return root, "", ""
	}
	parts = parts[1:]
	namespace := ""
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		namespace, parts = parts[1]+"/", parts[2:]
	}
	resource = parts[0] + group
	if len(parts) > 1 {
		name = namespace + strings.Join(parts[1:], "/")
	}
	return root, resource, name
}

// Reviews is the API group whose objects are questions that nothing stores.
const Reviews = "authorization.k8s.io"
