package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// listKinds are the kinds of lists that are read without their Go types, by the end of their path.
var listKinds = map[string]string{"hostedclusters": "HostedClusterList", "nodepools": "NodePoolList",
	"secrets": "SecretList", "configmaps": "ConfigMapList", "ipaddresspools": "IPAddressPoolList"}

// emptyServer is an API server that knows every kind and has no object.
func emptyServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		if path[0] == "apis" && len(path) > 2 {
			path = path[1:]
		}
		answer := object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404, "reason": "NotFound",
			"details": object{"name": "x"}}
		code := http.StatusNotFound
		switch {
		case path[0] == "version":
			answer, code = object{"gitVersion": "v1.33.5"}, http.StatusOK
		case r.URL.Path == "/api":
			answer, code = object{"kind": "APIVersions", "versions": []any{}}, http.StatusOK
		case r.URL.Path == "/apis":
			answer, code = object{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}}, http.StatusOK
		case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadataList"):
			answer = object{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "items": []any{}}
			code = http.StatusOK
		case len(path) == 3, len(path) == 5 && path[2] == "namespaces":
			answer, code = object{"items": []any{}}, http.StatusOK
			if kind := listKinds[path[len(path)-1]]; kind != "" {
				answer["kind"], answer["apiVersion"] = kind, strings.TrimPrefix(path[0]+"/"+path[1], "api/")
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestIgnoreNotFound: with the flag, what does not exist is no error, and a program gets its document.
func TestIgnoreNotFound(t *testing.T) {
	server := emptyServer(t)
	for _, tc := range []struct {
		call, schema, stdout, stderr string
		lines                        bool
		code                         int
	}{
		{call: "delete cluster none --yes", code: 1, stderr: `no hosted cluster "none"`},
		{call: "delete cluster none --yes --ignore-not-found", stderr: "clusters/none does not exist, and nothing of it is left"},
		{call: "delete cluster none --yes --ignore-not-found -o json", stderr: "does not exist", stdout: `"type":"summary"`,
			schema: "events", lines: true},
		{call: "delete cluster none --dry-run --ignore-not-found", stderr: "does not exist"},
		{call: "delete cluster none --dry-run --ignore-not-found -o json", stderr: "does not exist", schema: "delete-plan",
			stdout: `"DeletePlan"`},
		{call: "delete cluster none nor --yes", code: 1, stderr: `no hosted cluster "none" in namespace "clusters"`},
		{call: "delete cluster none nor --yes --ignore-not-found", stderr: "clusters/nor does not exist"},
		{call: "delete cluster -l env=lab --yes", stderr: "No hosted cluster in namespace clusters has the labels env=lab"},
		{call: "delete cluster none nor --dry-run --ignore-not-found -o json", stderr: "clusters/nor does not exist",
			schema: "plan", stdout: `"FleetDeletePlan"`},
		{call: "delete nodepool none --yes", code: 1, stderr: `no node pool "none"`},
		{call: "delete nodepool none --yes --ignore-not-found", stderr: "Node pool clusters/none does not exist"},
		{call: "delete nodepool none --yes --ignore-not-found -o json", stderr: "does not exist", stdout: `"type":"summary"`,
			schema: "events", lines: true},
		{call: "delete nodepool none --dry-run --ignore-not-found -o json", stderr: "does not exist", schema: "plan",
			stdout: `"DeleteNodePoolPlan"`},
	} {
		code, stdout, stderr := runBriefly(t, append(strings.Fields(tc.call), "--server", server)...)
		if code != tc.code || !strings.Contains(stderr, tc.stderr) || !strings.Contains(stdout, tc.stdout) ||
			(tc.stdout == "") != (stdout == "") {
			t.Errorf("%s: exit %d, want %d\n%s%s", tc.call, code, tc.code, stdout, stderr)
		}
		switch {
		case tc.lines:
			conformLines(t, tc.schema, []byte(stdout))
		case tc.schema != "":
			conforms(t, tc.schema, []byte(stdout))
		}
	}
}
