package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

const someImage = "registry.example/ocp-release:4.20.3-multi"

// somePullSecret is a file with a pull secret that must not be shown.
func somePullSecret(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ps.json")
	if err := os.WriteFile(path, []byte(`{"auths":{"quay.io":{"auth":"dXNlcjpwYXNzd29yZA=="}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDryRunOfTheClientTellsEveryObjectAndAsksNobody(t *testing.T) {
	base := []string{"create", "cluster", "--name", "kv-00", "--release-image", someImage, "--dry-run=client"}
	code, out, errs := run(t, base...)
	for _, want := range []string{"create Namespace clusters", "create HostedCluster clusters/kv-00",
		"create NodePool clusters/kv-00", "+    image: " + someImage} {
		if !strings.Contains(out, want) {
			t.Errorf("stdout has no %q:\n%s", want, out)
		}
	}
	if code != cmdutil.ExitDone || !strings.Contains(errs, "Secrets are left out: clusters/kv-00-pull-secret") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	code, out, _ = run(t, append(base, "--pull-secret", somePullSecret(t), "-o", "json")...)
	conforms(t, "plan", []byte(out))
	var doc struct {
		Kind    string
		Changes bool
		Steps   []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != cmdutil.ExitDone || doc.Kind != "ClusterPlan" ||
		!doc.Changes || len(doc.Steps) != 5 {
		t.Fatalf("exit %d, %v:\n%s", code, err, out)
	}
	if !strings.Contains(out, "kv-00-pull-secret") || strings.Contains(out, "dXNlcjpwYXNz") ||
		strings.Contains(out, "cGFzc3dvcmQ") || strings.Contains(out, "eyJhdXRocyI6") {
		t.Errorf("the pull secret is left out, or shown:\n%s", out)
	}
}

func TestPreviewsThatMakeNoSense(t *testing.T) {
	for want, args := range map[string][]string{
		`--dry-run "later": use client or server`:             {"--dry-run=later"},
		"--render and --dry-run: give only one of them":       {"--dry-run=client", "--render"},
		"--render-into gives manifests: it takes no --output": {"--render-into", "x", "-o", "json"},
		"--render-sensitive: it is for --render":              {"--render-sensitive"},
		"--release-image: needed":                             {"--dry-run=client"},
		`--output "yaml" is not a format: it takes json`:      {"-o", "yaml"},
		"--pull-secret: needed with --render-sensitive": {"--render", "--render-sensitive", "--release-image",
			someImage},
		"no cluster to talk to":                                {"--dry-run"},
		`--output "name" is not a format: it takes json, yaml`: {"-o", "name", "--dry-run"},
	} {
		if code, out, errs := run(t, append([]string{"create", "cluster", "--name", "kv-00"},
			args...)...); code == cmdutil.ExitDone || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, stdout %q\n%s\nwant %s", args, code, out, errs, want)
		}
	}
}

// A render waits for nothing, so that what create could not wait for is no error.
func TestRenderWithoutWorkers(t *testing.T) {
	args := []string{"create", "cluster", "--name", "kv-00", "--release-image", someImage, "--node-pool-replicas", "0"}
	if code, out, errs := run(t, append(args, "--render")...); code != cmdutil.ExitDone ||
		!strings.Contains(out, "replicas: 0") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for want, more := range map[string][]string{
		"the roll-out never completes":       {"--dry-run=client"},
		"must be one of none, api, nodes, c": {"--render", "--wait", "never"},
	} {
		if code, _, errs := run(t, append(args, more...)...); code != cmdutil.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d\n%s", more, code, errs)
		}
	}
}

func TestRenderIntoAFileThatOnlyItsOwnerReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.yaml")
	args := []string{"create", "cluster", "--name", "kv-00", "--release-image", someImage, "--pull-secret",
		somePullSecret(t), "--render-into"}
	if code, out, errs := run(t, append(args, path)...); code != cmdutil.ExitDone || out != "" ||
		!strings.Contains(errs, "Wrote 3 manifests") {
		t.Fatalf("exit %d, stdout %q\n%s", code, out, errs)
	}
	if code, _, errs := run(t, append(args, path)...); code == cmdutil.ExitDone ||
		!strings.Contains(errs, "never overwritten") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	secret := path + ".secret"
	if code, _, errs := run(t, append(args, secret, "--render-sensitive")...); code != cmdutil.ExitDone {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	for _, name := range []string{path, secret} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v (%v)", name, info.Mode(), err)
		}
	}
	data, err := os.ReadFile(secret)
	if err != nil || !strings.Contains(string(data), ".dockerconfigjson") {
		t.Errorf("%s (%v)", data, err)
	}
}
