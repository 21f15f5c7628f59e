package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// checkTrust checks that the network operator fills in a ConfigMap that asks for certificates, and no other. The
// profile has a proxy with a certificate of its own.
func checkTrust(t *testing.T, c client.Client) {
	t.Helper()
	for name, labels := range map[string]map[string]string{
		"asks": {"config.openshift.io/inject-trusted-cabundle": "true"}, "does-not": nil,
	} {
		o := named("v1", "ConfigMap", "default", name)
		o.SetLabels(labels)
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	bundle := func(name string) string {
		return text(read(t, c, "v1", "ConfigMap", "default", name), "data", "ca-bundle.crt")
	}
	eventually(t, 20*time.Second, func() error {
		if got := bundle("asks"); !strings.Contains(got, "BEGIN CERTIFICATE") {
			return fmt.Errorf("the bundle is %q", got)
		}
		return nil
	})
	if got := bundle("does-not"); got != "" {
		t.Errorf("a ConfigMap that does not ask got %q", got)
	}
}

// checkShards checks that each router says for itself whether it serves a Route, and that nothing is left of one that
// is not there any more.
func checkShards(t *testing.T, c client.Client) {
	t.Helper()
	router := func(name string) *unstructured.Unstructured {
		return named("operator.openshift.io/v1", "IngressController", "openshift-ingress-operator", name)
	}
	blue, green := router("blue"), router("green")
	for shard, spec := range map[*unstructured.Unstructured]map[string]any{
		blue: {"domain": "blue.example.com", "routeAdmission": map[string]any{"wildcardPolicy": "WildcardsAllowed"}},
		green: {"domain": "green.example.com",
			"routeSelector": map[string]any{"matchLabels": map[string]any{"shard": "green"}}},
	} {
		shard.Object["spec"] = spec
		if err := c.Create(t.Context(), shard); err != nil {
			t.Fatal(err)
		}
	}
	route := named("route.openshift.io/v1", "Route", "default", "wild")
	route.Object["spec"] = map[string]any{"host": "https.apps.example.com", "wildcardPolicy": "Subdomain",
		"to": map[string]any{"kind": "Service", "name": "apps"}}
	if err := c.Create(t.Context(), route); err != nil {
		t.Fatal(err)
	}
	said := func(want string) func() error {
		return func() error {
			now := read(t, c, "route.openshift.io/v1", "Route", "default", "wild")
			list, _, _ := unstructured.NestedSlice(now.Object, "status", "ingress")
			got := map[string]any{}
			for _, entry := range list {
				e, _ := entry.(map[string]any)
				conditions, _, _ := unstructured.NestedSlice(e, "conditions")
				first, _ := conditions[0].(map[string]any)
				got[fmt.Sprint(e["routerName"])] = first["status"]
			}
			return is(t, want, fmt.Sprint(got))
		}
	}
	eventually(t, 20*time.Second, said("map[blue:True default:False]"))
	if err := c.Delete(t.Context(), blue); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, said("map[default:False]"))
}
