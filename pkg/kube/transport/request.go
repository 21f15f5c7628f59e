package transport

import (
	"net/http"
	"slices"
	"strings"
)

// requestInfo describes a request, from its URL.
type requestInfo struct {
	// what names the request for the user, such as "a list of nodes".
	what string
	// size is the limit of the answer.
	size Size
	// list, events and log are set for a list, a watch and a log.
	list, events, log bool
}

// requestInfo returns the description of a request and the limit of its answer.
func (l Limits) requestInfo(r *http.Request) requestInfo {
	path := r.URL.Path
	if isLog(path) {
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

// isLog reports whether a path is that of a container log, or of a node log read by its kubelet.
func isLog(path string) bool {
	return strings.HasSuffix(path, "/log") || strings.Contains(path, "/proxy/logs/")
}

// parsePath splits the path of an API request: root is "api" or "apis", resource includes its group, name includes its
// namespace. The path may have a prefix if the API server is behind a proxy.
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

// Reviews is the API group of access reviews, which store nothing.
const Reviews = "authorization.k8s.io"
