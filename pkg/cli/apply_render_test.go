package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const renderedFleet = `apiVersion: hcctl.dev/v1alpha1
kind: Fleet
defaults:
  spec: {releaseImage: "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"}
environments:
  dev:
    metadata: {namespace: dev}
    nodePool: {replicas: 1}
  prod:
    metadata: {namespace: prod}
    nodePool: {memory: %s}
clusters:
- metadata: {name: kv-%%d}
  count: 2
`

// renders runs apply --render on the fleet whose prod has that memory, and returns the files.
func renders(t *testing.T, memory string, args ...string) (code int, files map[string]string, stderr string) {
	t.Helper()
	dir := t.TempDir()
	fleet, out := filepath.Join(dir, "fleet.yaml"), filepath.Join(dir, "out")
	content := strings.ReplaceAll(strings.Replace(renderedFleet, "%s", memory, 1), "%%", "%")
	if err := os.WriteFile(fleet, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = run(t, append([]string{"apply", "-f", fleet, "--render", out}, args...)...)
	files = map[string]string{}
	_ = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			name, _ := filepath.Rel(out, path)
			files[filepath.ToSlash(name)] = string(data)
		}
		return nil
	})
	return code, files, strings.ReplaceAll(stderr, dir, "")
}

// TestApplyRenders: base and overlays have no Secret, are the same each time, and an overlay has what its environment
// says and its label.
func TestApplyRenders(t *testing.T) {
	code, files, stderr := renders(t, "16Gi")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	_, again, _ := renders(t, "16Gi")
	for name, data := range files {
		if strings.Contains(data, "kind: Secret") {
			t.Errorf("%s has a Secret", name)
		}
		if again[name] != data {
			t.Errorf("%s differs when it is rendered again", name)
		}
	}
	for name, want := range map[string][]string{
		"base/nodepool-kv-0.yaml":                    {"kind: NodePool", "clusterName: kv-0"},
		"overlays/dev/patch-nodepool-kv-1.yaml":      {"path: /spec/replicas\n  value: 1", "env: dev", "value: dev"},
		"overlays/prod/patch-nodepool-kv-0.yaml":     {"value: 16Gi", "env: prod"},
		"overlays/prod/kustomization.yaml":           {"- ../../base", "path: patch-hostedcluster-kv-0.yaml"},
		"overlays/dev/patch-hostedcluster-kv-0.yaml": {"/spec/infraID"},
		"NOTES.md": {"oc apply --server-side -k overlays/dev", "- prod/kv-1-pull-secret"},
	} {
		for _, part := range want {
			if !strings.Contains(files[name], part) {
				t.Errorf("%s has no %q:\n%s", name, part, files[name])
			}
		}
	}
	if strings.Contains(files["base/nodepool-kv-0.yaml"], "namespace") {
		t.Error("the base has the namespace of one environment")
	}
	code, files, _ = renders(t, "16Gi", "--env", "dev")
	if code != 0 || files["overlays/dev/kustomization.yaml"] == "" || files["overlays/prod/kustomization.yaml"] != "" {
		t.Errorf("--env dev: exit %d, %d files", code, len(files))
	}
}

// TestApplyRenderBlamesTheOverride: an error names the line of the environment, and nothing is written.
func TestApplyRenderBlamesTheOverride(t *testing.T) {
	code, files, stderr := renders(t, "lots")
	if code != 2 || len(files) > 0 || !strings.Contains(stderr, "fleet.yaml:11: environments.prod.nodePool.memory") {
		t.Errorf("exit %d, %d files: %s", code, len(files), stderr)
	}
}
