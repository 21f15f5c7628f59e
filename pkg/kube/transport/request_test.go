package transport

import (
	"net/http"
	"strings"
	"testing"
)

// A few warnings are told, thousands are not.
func TestWarningsAreBounded(t *testing.T) {
	h := http.Header{}
	h.Add("Warning", `299 - "`+strings.Repeat("x", 3000)+`"`)
	for range 1000 {
		h.Add("Warning", `299 - "deprecated"`)
	}
	boundWarnings(h)
	if got := h.Values("Warning"); len(got) != maxWarnings || got[0] != `299 - "deprecated"` {
		t.Errorf("%d warnings, the first %.40q", len(got), got[0])
	}
}

func TestInPath(t *testing.T) {
	for path, want := range map[string]string{
		"/version":                      "||",
		"/api/v1":                       "api||",
		"/api":                          "api||",
		"/apis":                         "apis||",
		"/apis/apps":                    "apis||",
		"/apis/apps/v1":                 "apis||",
		"/openapi/v3/x/y/z":             "openapi||",
		"/api/v1/nodes":                 "api|nodes|",
		"/api/v1/nodes/a":               "api|nodes|a",
		"/api/v1/namespaces":            "api|namespaces|",
		"/api/v1/namespaces/a":          "api|namespaces|a",
		"/api/v1/namespaces/a/pods":     "api|pods|",
		"/api/v1/namespaces/a/pods/b":   "api|pods|a/b",
		"/api/v1/namespaces/a/finalize": "api|namespaces|a/finalize",
		"/apis/apps/v1/deployments":     "apis|deployments.apps|",
		"/apis/apps/v1/namespaces/a/deployments/b/scale": "apis|deployments.apps|a/b/scale",
		"/k8s/clusters/c-1/api/v1/nodes":                 "api|nodes|",
	} {
		root, resource, name := parsePath(path)
		if got := root + "|" + resource + "|" + name; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
