package kube

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
