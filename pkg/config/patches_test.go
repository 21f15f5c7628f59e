package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

const patched = `
metadata: {name: kv-00}
spec:
  patches:
    spec:
      issuerURL: null
      configuration:
        image: {registrySources: {blockedRegistries: [registry.example.org]}}
  nodePools:
  - patches:
    - {op: add, path: /metadata/annotations, value: {since: 2026-01-02}}
`

// TestPatchesStandInTheDocument: a map is a merge patch, a list a JSON Patch, and both are written as they were read.
func TestPatchesStandInTheDocument(t *testing.T) {
	c := parsed(t, ".", patched)
	v, err := c.Options.Validate()
	if err != nil {
		t.Fatal(err)
	}
	merge := map[string]any{"spec": map[string]any{"issuerURL": nil, "configuration": map[string]any{
		"image": map[string]any{"registrySources": map[string]any{"blockedRegistries": []any{"registry.example.org"}}}}}}
	if diff := cmp.Diff(merge, v.Patches.Merge); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ops := v.NodePools[0].Patches.Operations; len(ops) != 1 || string(ops[0].Value) != `{"since":"2026-01-02"}` {
		t.Errorf("got %+v", ops)
	}
	again, err := WriteCluster(c.Options, ".")
	if err != nil {
		t.Fatal(err)
	}
	second, err := ParseCluster("kv.yaml", ".", again)
	if err != nil {
		t.Fatalf("%v in\n%s", err, again)
	}
	if diff := cmp.Diff(c.Options, second.Options); diff != "" {
		t.Errorf("written and read again (-want +got):\n%s", diff)
	}
	named := parsed(t, "labs", "metadata: {name: kv-00}\nspec: {patches: patch.yaml}\n")
	if got := named.Options.Patches; got.Path != "labs/patch.yaml" || got.Content != nil {
		t.Errorf("a file: %+v", got)
	}
}

// TestPatchMistakesNameTheirLine: what a patch may not change is said with the line, and the flag that changes it.
func TestPatchMistakesNameTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"spec:\n  patches:\n    spec:\n      channel: a\n      fips: true\n": "kv.yaml:7: spec.patches.spec.channel \"spec.channel\": " +
			"--channel writes spec.channel; use it instead",
		"spec:\n  patches:\n  - {op: add, path: /spec/updateService, value: {}}\n  - {op: remove, path: /spec/infraID}\n": "kv.yaml:7: " +
			"spec.patches[1] \"/spec/infraID\": --infra-id writes spec.infraID; use it instead",
		"spec:\n  nodePools:\n  - patches:\n      spec: {clusterName: other}\n": "kv.yaml:7: " +
			"spec.nodePools[0].patches.spec.clusterName \"spec.clusterName\": hcctl writes it itself",
		"spec:\n  patches: {a: b, a: c}\n": "kv.yaml:5: spec.patches cannot be read: ",
	} {
		c, err := ParseCluster("kv.yaml", ".", []byte(clusterHeader+"metadata: {name: kv-00}\n"+text))
		if err == nil {
			_, err = c.Options.Validate()
			var problem *options.Error
			if errors.As(err, &problem) {
				err = c.Locate(problem)
			}
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
