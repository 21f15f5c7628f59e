package manifests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const hyperConvergedCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: hyperconvergeds.hco.kubevirt.io}
spec: {group: hco.kubevirt.io, names: {kind: HyperConverged}}
`

func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestManifestsGoInOrder(t *testing.T) {
	dir := directory(t, map[string]string{
		"a.yaml": `# nothing but a comment
---
apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata: {name: kubevirt-hyperconverged, namespace: kv}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hook}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: kv}
`,
		"crds/hco.yaml": hyperConvergedCRD,
		"b.json": `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "ServiceAccount", ` +
			`"metadata": {"name": "sa", "namespace": "kv"}}, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ` +
			`"kv"}}]}`,
		"c.yml":     "apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: issuer, namespace: kv}\n",
		"README.md": "not: [a manifest",
	})
	all, err := ReadDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, m.name())
	}
	want := []string{"Namespace kv", "CustomResourceDefinition hyperconvergeds.hco.kubevirt.io", "ServiceAccount kv/sa",
		"Issuer kv/issuer", "Deployment kv/operator",
		"ValidatingWebhookConfiguration hook", "HyperConverged kv/kubevirt-hyperconverged"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if n := len(all.Operator()); n != 6 {
		t.Errorf("%d objects make the operator, want 6", n)
	}
	if all[0].digest() == all[2].digest() || all[0].annotated(false).GetAnnotations()[manifestAnnotation] != all[0].digest() {
		t.Error("a document is not marked with its own digest")
	}
}

func TestBadManifestsNameFileAndDocument(t *testing.T) {
	const good = "apiVersion: v1\nkind: Namespace\nmetadata: {name: kv}\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"empty":    {map[string]string{"README.md": "x"}, "has no manifests"},
		"not YAML": {map[string]string{"x.yaml": good + "---\n{"}, "x.yaml, line 5: not YAML"},
		"a key twice": {map[string]string{"x.yaml": good +
			"---\napiVersion: v1\nkind: Secret\nkind: ConfigMap\nmetadata: {name: a}\n"}, `x.yaml, line 7: field "kind" is there twice`},
		"no kind": {map[string]string{"deep/x.yaml": "apiVersion: v1\nmetadata: {name: kv}\n"},
			"deep/x.yaml, line 1: apiVersion or kind is missing"},
		"no name": {map[string]string{"x.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {}\n"},
			"x.yaml, line 1: Namespace without metadata.name"},
		"an object twice": {map[string]string{"a.yaml": good, "b.yaml": good},
			"b.yaml, document 1: Namespace kv is in a.yaml, document 1 as well"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadDirectory(directory(t, tc.files))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
	if _, err := ReadDirectory(directory(t, map[string]string{"a.yaml": good,
		"b.yaml": hyperConvergedCRD})); err != nil {
		t.Errorf("a whole directory is refused: %v", err)
	}
	if _, err := ReadDirectory(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("a directory that is not there is accepted")
	}
}
