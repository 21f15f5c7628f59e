package deletion

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// A namespace that hcctl made is never said to be settled where what is in it could not be listed; waiting does not
// help who may not.
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
					_, _ = fmt.Fprintf(
						w,
						`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"clusters","labels":{%q:%q}}}`,
						kube.ManagedByLabel,
						kube.FieldOwner,
					)
					return
				}
				w.WriteHeader(tc.code)
				_, _ = fmt.Fprintf(
					w,
					`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"not today"}`,
					tc.reason,
					tc.code,
				)
			}))
			defer server.Close()
			c, err := kube.New(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			d := &Plan{client: c, Namespace: "clusters", Name: "kv-00"}
			f := d.namespaceSettled(t.Context(), d.client)
			if f.State != step.StateUnknown || f.Final != tc.final || !strings.Contains(f.Message, "it stays") ||
				!strings.Contains(f.Hint.String(), "--keep-namespace") {
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
			_, _ = fmt.Fprintf(
				w,
				`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"clusters","labels":{%q:%q}}}`,
				kube.ManagedByLabel,
				kube.FieldOwner,
			)
		case "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
			_, _ = fmt.Fprint(
				w,
				`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":false}}`,
			)
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
	d := &Plan{client: c, Namespace: "clusters", Name: "kv-00"}
	if f := d.namespaceSettled(
		t.Context(), d.client,
	); f.State != step.StateOK || !strings.Contains(f.Message, "left as it is") ||
		!strings.Contains(f.Message, "may not delete") {
		t.Errorf("%+v", f)
	}
}

// A plan of a deletion does not say that the namespace is empty afterwards where another cluster is in it.
func TestPlannedNamespaceWithOtherClusters(t *testing.T) {
	own := hostedtest.Hosted("clusters", "kv-00", "kv-00-abcde", "", "10:00:00")
	secret := hostedtest.Object{"metadata": hostedtest.UnfinishedMeta("kv-00-pull-secret", "kv-00-abcde")}
	owned := hostedtest.MetaOf("clusters", "kv-00-admin-kubeconfig", nil)
	owned["ownerReferences"] = []any{hostedtest.Object{"uid": "uid-of-clusters-kv-00"}}
	for name, tc := range map[string]struct {
		others []any
		want   string
	}{
		"alone": {nil, "missing: Namespace clusters: created by hcctl and empty now"},
		"another cluster": {[]any{hostedtest.Hosted("clusters", "kv-01", "kv-01-abcde", "", "10:00:00")},
			"ok: Namespace clusters: left as it is: there is more in it: HostedCluster kv-01"},
	} {
		t.Run(name, func(t *testing.T) {
			all := hostedtest.Items(append([]any{own}, tc.others...)...)
			world := deletionWorld(map[string]any{
				hostedtest.ClustersPath + "/kv-00": own,
				hostedtest.ClustersPath:            all,
				hostedtest.AllPath:                 all,
				hostedtest.SecretsPath: hostedtest.Items(
					secret,
					hostedtest.Object{"metadata": owned},
				),
				hostedtest.SecretsPath + "/kv-00-pull-secret": secret,
				hostedtest.NamespacesPath + "/clusters": hostedtest.Object{
					"metadata": hostedtest.Object{"name": "clusters", "labels": hostedtest.Object{kube.ManagedByLabel: kube.FieldOwner}},
				},
				"/api/v1": hostedtest.Object{
					"kind":         "APIResourceList",
					"groupVersion": "v1",
					"resources":    []any{resourceOf("secrets", "Secret")},
				},
				"/apis": hostedtest.Object{"kind": "APIGroupList", "groups": []any{
					hostedtest.Object{
						"name":     "hypershift.openshift.io",
						"versions": []any{hostedtest.Object{"groupVersion": "hypershift.openshift.io/v1beta1", "version": "v1beta1"}},
					},
				}},
				"/apis/hypershift.openshift.io/v1beta1": hostedtest.Object{
					"kind":         "APIResourceList",
					"groupVersion": "hypershift.openshift.io/v1beta1",
					"resources":    []any{resourceOf("hostedclusters", "HostedCluster")},
				},
			})
			dry, _ := hostedtest.ReadOnly(t, world).Planning(nil)
			d, err := Prepare(t.Context(), dry, "clusters", "kv-00", Defaults())
			if err != nil {
				t.Fatal(err)
			}
			for _, apply := range []func(context.Context) (step.Change, error){d.deleteHostedCluster, d.deleteSecrets} {
				if change, err := apply(t.Context()); err != nil || change != step.Deleted {
					t.Fatalf("%s, %v", change, err)
				}
			}
			hostedtest.Expect(t, d.namespaceSettled(t.Context(), d.client), tc.want)
		})
	}
}

func resourceOf(plural, kind string) hostedtest.Object {
	return hostedtest.Object{"name": plural, "kind": kind, "namespaced": true, "verbs": []any{"get", "list", "delete"}}
}
