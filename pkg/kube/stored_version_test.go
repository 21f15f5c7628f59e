package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// TestStoredVersion reads HyperConverged as HCO's releases have it: 1.17 has v1beta1 alone, 1.18 serves v1 and stores
// v1beta1, 1.19 stores v1.
func TestStoredVersion(t *testing.T) {
	version := func(name string, served, storage bool) any {
		return map[string]any{"name": name, "served": served, "storage": storage}
	}
	for name, c := range map[string]struct {
		versions []any
		want     string
	}{
		"1.17":                  {[]any{version("v1beta1", true, true)}, "v1beta1"},
		"1.18":                  {[]any{version("v1", true, false), version("v1beta1", true, true)}, "v1beta1"},
		"1.19":                  {[]any{version("v1", true, true), version("v1beta1", true, false)}, "v1"},
		"v1beta1 gone":          {[]any{version("v1", true, true)}, "v1"},
		"stores an unknown one": {[]any{version("v1", true, false), version("v2", true, true)}, "v1"},
		"not served":            {[]any{version("v1", false, true), version("v1beta1", true, false)}, "v1beta1"},
		"no CRD":                {nil, "v1beta1"},
	} {
		crd := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"versions": c.versions}}}
		if got := storedIn(crd, HyperConverged); got.Version != c.want || got.Plural != HyperConverged.Plural {
			t.Errorf("%s: %v, not %s", name, got, c.want)
		}
	}
	if got := storedIn(&unstructured.Unstructured{}, MetalLB); got != MetalLB {
		t.Errorf("a kind of one version: %v", got)
	}
}

// TestEveryKindIsReadAsItIsStored goes over every kind that hcctl can read, against contracts/versions.yaml. A kind
// that is stored in several versions has to know them all, or a row says why it is read in one.
func TestEveryKindIsReadAsItIsStored(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "contracts", "versions.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Several []struct {
			Resource, Why  string
			Served, Stored []string
		}
		Single []struct {
			Group, Stored string
			Kinds         []string
		}
		NoDefinition []string `yaml:"no_definition"`
	}
	if err := yaml.Unmarshal(raw, &facts); err != nil {
		t.Fatal(err)
	}
	stored, why := map[string][]string{}, map[string]string{}
	for _, row := range facts.Several {
		stored[row.Resource], why[row.Resource] = row.Stored, row.Why
		for _, v := range row.Stored {
			if !slices.Contains(row.Served, v) {
				t.Errorf("%s stores %s, which it does not serve", row.Resource, v)
			}
		}
	}
	single := map[schema.GroupKind]string{}
	for _, row := range facts.Single {
		for _, kind := range row.Kinds {
			single[schema.GroupKind{Group: row.Group, Kind: kind}] = row.Stored
		}
	}
	seen := map[string]bool{}
	for _, k := range append(unstructuredKinds(), typed...) {
		resource := k.Plural + "." + k.Group
		seen[resource] = true
		// Most of Kubernetes' own groups have no domain, or one below k8s.io of a single word.
		own := !strings.Contains(k.Group, ".") || strings.HasSuffix(k.Group, ".k8s.io") && strings.Count(k.Group, ".") == 2 &&
			!strings.HasSuffix(k.Group, "x-k8s.io")
		versions := stored[resource]
		if one := single[k.GroupKind()]; one != "" {
			versions = []string{one}
		}
		switch {
		case own || slices.Contains(facts.NoDefinition, k.Group):
			continue
		case versions == nil:
			t.Errorf("%s has no row in contracts/versions.yaml", resource)
		case why[resource] != "":
			if !slices.Contains(versions, k.Version) {
				t.Errorf("%s is read in %s, which no release stores: %s", resource, k.Version, versions)
			}
		default:
			known := []string{}
			for _, v := range k.Versions() {
				known = append(known, v.Version)
			}
			if !slices.Equal(known, versions) {
				t.Errorf("%s is read in %s, and stored in %s", resource, known, versions)
			}
		}
	}
	for resource := range stored {
		if !seen[resource] {
			t.Errorf("contracts/versions.yaml has %s, which nothing reads", resource)
		}
	}
}

// TestMachinesAreReadAsTheyAreStored: discovery says which version that is to users who may not read CRDs.
func TestMachinesAreReadAsTheyAreStored(t *testing.T) {
	machines := schema.GroupResource{Group: "cluster.x-k8s.io", Resource: "machines"}
	for name, tc := range map[string]struct {
		served []string
		stored string
		want   string
	}{
		"HyperShift before v0.1.78": {[]string{"v1beta1"}, "v1beta1", "v1beta1"},
		"HyperShift v0.1.78":        {[]string{"v1beta2", "v1beta1"}, "v1beta2", "v1beta2"},
		"its migration is off":      {[]string{"v1beta2", "v1beta1"}, "v1beta1", "v1beta1"},
		"no hash":                   {[]string{"v1beta2", "v1beta1"}, "", "v1beta2"},
	} {
		var group []string
		for _, v := range tc.served {
			group = append(group, fmt.Sprintf(`{"groupVersion": "cluster.x-k8s.io/%[1]s", "version": %[1]q}`, v))
		}
		hash := ""
		if tc.stored != "" {
			hash = storageVersionHash(machines.Group, tc.stored, "Machine")
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.URL.Path == "/apis/cluster.x-k8s.io" {
				_, _ = fmt.Fprintf(w, `{"kind": "APIGroup", "apiVersion": "v1", "name": "cluster.x-k8s.io", "versions": [%s],
					"preferredVersion": %s}`, strings.Join(group, ", "), group[0])
				return
			}
			_, _ = fmt.Fprintf(w, `{"kind": "APIResourceList", "apiVersion": "v1", "resources": [{"name": "machines",
				"kind": "Machine", "namespaced": true, "verbs": ["list"], "storageVersionHash": %q}]}`, hash)
		}))
		c, err := New(&rest.Config{Host: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		if kind, err := c.DiscoverResource(t.Context(), machines); err != nil || kind.Version != tc.want ||
			kind.Kind != "Machine" {
			t.Errorf("%s: %v, %v", name, kind, err)
		}
		server.Close()
	}
}
