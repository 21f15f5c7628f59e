package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestGitOpsInit: a repository from a fleet file, beside what is there; never over it, and then nothing is written.
func TestGitOpsInit(t *testing.T) {
	dir := t.TempDir()
	fleet, out := filepath.Join(dir, "fleet.yaml"), filepath.Join(dir, "repo")
	content := strings.ReplaceAll(strings.Replace(renderedFleet, "%s", "16Gi", 1), "%%", "%")
	if err := os.WriteFile(fleet, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"gitops", "init", out, "-f", fleet, "--repo-url", "https://git.example.com/team/fleet.git", "--image",
		"registry.example.com/hcctl:1.0", "--virtualization-csv", "kubevirt-hyperconverged-operator.v4.20.1"}
	if code, _, stderr := run(t, append(args, "--image", "")...); code != cmdutil.ExitUsage ||
		!strings.Contains(stderr, "--image: missing") {
		t.Errorf("%d: %s", code, stderr)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Fatalf("written although an option is missing: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(out, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run(t, args...)
	if code != 0 || !strings.Contains(stdout, filepath.Join(out, "environments", "prod", "kustomization.yaml")) ||
		!strings.Contains(stderr, "no cluster was contacted. 8 Secrets to make") {
		t.Fatalf("%d\n%s%s", code, stdout, stderr)
	}
	var patches string
	for _, name := range []string{"patch-nodepool-kv-0.yaml", "patch-nodepool-kv-1.yaml"} {
		data, err := os.ReadFile(filepath.Join(out, "clusters", "overlays", "prod", name))
		if err != nil {
			t.Fatal(err)
		}
		patches += string(data)
	}
	if strings.Count(patches, "16Gi") != 2 {
		t.Errorf("prod's memory is not in its overlay: %s", patches)
	}
	// One file of the user's in another directory: it stays, and no other is written.
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "demo-vm", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(taken, "demo-vm", "base", "virtualmachine.yaml")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	args[2] = taken
	code, _, stderr = run(t, args...)
	entries, _ := os.ReadDir(taken)
	data, _ := os.ReadFile(mine)
	if code != cmdutil.ExitError || !strings.Contains(stderr, mine+" is there already") || len(entries) != 1 ||
		string(data) != "mine" {
		t.Errorf("%d: %s, %v, %s", code, stderr, entries, data)
	}
	// A link out of the directory is not followed.
	linked, elsewhere := filepath.Join(dir, "linked"), t.TempDir()
	if err := os.Mkdir(linked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(linked, "argocd")); err != nil {
		t.Fatal(err)
	}
	args[2] = linked
	code, _, _ = run(t, args...)
	if entries, _ := os.ReadDir(elsewhere); code != cmdutil.ExitError || len(entries) != 0 {
		t.Errorf("%d: %v", code, entries)
	}
}

// TestGitOpsStatus: the exit code reports whether all is well, and the document has its schema.
func TestGitOpsStatus(t *testing.T) {
	const path = "/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops/applications"
	app := func(name, sync string) object {
		return object{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": object{"name": name,
			"namespace": "openshift-gitops", "labels": object{"hcctl.dev/environment": name}},
			"spec":   object{"destination": object{"server": "https://kubernetes.default.svc"}},
			"status": object{"sync": object{"status": sync}, "health": object{"status": "Healthy"}}}
	}
	answers := map[string]any{
		path: object{"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationList",
			"items": []any{app("dev", "Synced"), app("prod", "OutOfSync")}},
	}
	url := server(t, answers, nil)
	code, out, stderr := runOn(t, url, "gitops", "status")
	if code != cmdutil.ExitMissing || !strings.Contains(out, "management cluster") || strings.Index(out, "prod") > strings.Index(out, "dev") ||
		!strings.Contains(stderr, "1 of 2 Applications not synced") {
		t.Errorf("%d\n%s%s", code, out, stderr)
	}
	_, out, _ = runOn(t, url, "gitops", "status", "-o", "json")
	conforms(t, "gitops-status", []byte(out))
	if code, out, _ = runOn(t, url, "gitops", "status", "--env", "dev"); code != 0 || strings.Contains(out, "prod") {
		t.Errorf("%d\n%s", code, out)
	}
	for args, want := range map[string]string{"register": "which hosted clusters?", "register a -l env=dev": "give only one of them",
		"register a --token-lifetime 1m": "use 1h to 8760h", "register a --argocd-namespace A": "not the name of a namespace",
		"register -l env,,": "not a selector", "approve": "takes one version", "approve op.v1": "--namespace: missing",
		"approve op.v1 -n x": "--subscription"} {
		if code, _, stderr := run(t, append([]string{"gitops"}, strings.Fields(args)...)...); code != cmdutil.ExitUsage ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: %d: %s", args, code, stderr)
		}
	}
	if code, _, stderr := runOn(t, server(t, map[string]any{}, nil), "gitops", "status"); code != cmdutil.ExitError ||
		!strings.Contains(stderr, "Argo CD is not installed") {
		t.Errorf("%d: %s", code, stderr)
	}
}
