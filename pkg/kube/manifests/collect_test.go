package manifests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/safefile"
)

const (
	aNamespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: cni}\n"
	aRole      = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: cni}\n"
)

func collect(dir string) ([]File, error) {
	return Collect(dir, safefile.Tree{Directories: []string{dir}})
}

func TestCollect(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
		fails string
	}{
		"a directory": {map[string]string{"b.yaml": aRole, "deep/a.yml": aNamespace, "README.md": "no"},
			"b.yaml deep/a.yml", ""},
		"a kustomization": {map[string]string{"kustomization.yaml": "resources: [b.yaml, base]\n", "b.yaml": aRole,
			"not-listed.yaml": "{", "base/kustomization.yml": "kind: Kustomization\nresources: [a.yaml]\n",
			"base/a.yaml": aNamespace}, "b.yaml base/a.yaml", ""},
		"nothing": {map[string]string{"README.md": "no"}, "", "has no manifests"},
		"patches": {map[string]string{"kustomization.yaml": "resources: [b.yaml]\npatches: []\n", "b.yaml": aRole}, "",
			"kustomization.yaml has patches, and hcctl takes only kustomizations that list local resources: run kustomize " +
				"build "},
		"a URL": {map[string]string{"kustomization.yaml": "resources: [\"https://example.com/cni.yaml\"]\n"}, "",
			`resources[0] "https://example.com/cni.yaml" is not a local path: run kustomize build`},
		"a repository": {map[string]string{"kustomization.yaml": "resources: [\"github.com/x/y?ref=v1\"]\n"}, "",
			"is not a local path"},
		"an absolute path":             {map[string]string{"kustomization.yaml": "resources: [/etc/passwd]\n"}, "", "is not a local path"},
		"a file above":                 {map[string]string{"kustomization.yaml": "resources: [../a.yaml]\n"}, "", "outside of the directory"},
		"a directory above":            {map[string]string{"kustomization.yaml": "resources: [..]\n"}, "", "outside of the directory"},
		"a file that is not there":     {map[string]string{"kustomization.yaml": "resources: [gone.yaml]\n"}, "", "no such file"},
		"no list of paths":             {map[string]string{"kustomization.yaml": "resources: [{a: b}]\n"}, "", "resources[0] is not a path"},
		"not YAML":                     {map[string]string{"kustomization.yaml": "resources: {\n"}, "", "not YAML"},
		"itself":                       {map[string]string{"kustomization.yaml": "resources: [.]\n"}, "", "more than 20 deep"},
		"a directory without one":      {map[string]string{"kustomization.yaml": "resources: [sub]\n", "sub/a.yaml": aRole}, "", "has no kustomization.yaml"},
		"one below, and none above it": {map[string]string{"a.yaml": aRole, "sub/kustomization.yaml": "resources: []\n"}, "", "is below a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := directory(t, tc.files)
			files, err := collect(dir)
			if (err == nil) != (tc.fails == "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Fatalf("got %v, want %q", err, tc.fails)
			}
			var names []string
			for _, f := range files {
				rel, _ := filepath.Rel(dir, f.Name)
				names = append(names, rel)
			}
			if got := strings.Join(names, " "); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestCollectIsBounded(t *testing.T) {
	many := map[string]string{}
	for i := range maxFiles + 1 {
		many[fmt.Sprintf("%d.yaml", i)] = aRole
	}
	if _, err := collect(directory(t, many)); err == nil || !strings.Contains(err.Error(), "more than 1000 files") {
		t.Errorf("got %v", err)
	}
	large := map[string]string{"a.yaml": strings.Repeat("#", maxBytes-1), "b.yaml": "##"}
	if _, err := collect(directory(t, large)); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("got %v", err)
	}
	objects := File{Name: "a.yaml"}
	for i := range maxObjects + 1 {
		objects.Data = fmt.Appendf(objects.Data, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n%d}\n", i)
	}
	if _, err := Parse(objects); err == nil || !strings.Contains(err.Error(), "more than 2000 objects") {
		t.Errorf("got %v", err)
	}
}
