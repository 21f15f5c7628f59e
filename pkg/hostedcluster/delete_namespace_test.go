package hostedcluster

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// A namespace that hcctl made is never said to be settled where what is in it could not be listed; waiting does not help who may not.
func TestNamespaceOfUnknownContent(t *testing.T) {
	for name, tc := range map[string]struct {
		code   int
		reason string
		final  bool
	}{
		"not allowed":   {http.StatusForbidden, "Forbidden", true},
		"does not work": {http.StatusInternalServerError, "InternalError", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/api/v1/namespaces/clusters" {
					_, _ = fmt.Fprintf(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"clusters","labels":{%q:%q}}}`, kube.ManagedByLabel, kube.FieldOwner)
					return
				}
				w.WriteHeader(tc.code)
				_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"not today"}`, tc.reason, tc.code)
			}))
			defer server.Close()
			c, err := kube.New(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			d := &Deletion{client: c, Namespace: "clusters", Name: "kv-00"}
			f := d.namespaceSettled(t.Context())
			if f.State != step.Unknown || f.Final != tc.final || !strings.Contains(f.Message, "it stays") || !strings.Contains(f.Hint, "--keep-namespace") {
				t.Errorf("%+v", f)
			}
		})
	}
}

// Whoever may delete clusters need not be allowed to delete namespaces: theirs stays, and what is in it is not asked.
func TestNamespaceOfWhoMayNotDeleteIt(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/v1/namespaces/clusters":
			_, _ = fmt.Fprintf(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"clusters","labels":{%q:%q}}}`, kube.ManagedByLabel, kube.FieldOwner)
		case "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
			_, _ = fmt.Fprint(w, `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":false}}`)
		default:
			t.Errorf("asked for %s", r.URL)
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer server.Close()
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	d := &Deletion{client: c, Namespace: "clusters", Name: "kv-00"}
	if f := d.namespaceSettled(t.Context()); f.State != step.OK || !strings.Contains(f.Message, "left as it is") || !strings.Contains(f.Message, "may not delete") {
		t.Errorf("%+v", f)
	}
}
