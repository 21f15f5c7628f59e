package chaos

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/world"
)

// disk: what hcctl writes does not fit, or may not be written. One clear error, nothing half-written, the old file as
// it was.
func disk(t *testing.T, w *world.World) {
	w.Direct.Must(t, "create", "cluster", "--name", "kv-00", "--yes", "--pull-secret", w.PullSecret, "--wait", "api")
	old := []byte("apiVersion: v1\nkind: Config\n# mine\nclusters: []\ncontexts: []\nusers: []\n")
	mine := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(mine, old, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"kubeconfig", "kv-00", "--merge", "--file", mine},
		{"dump", "kv-00", "--output-file", "dump.tar.gz"},
		{"dump", "kv-00", "--archive-dump=false", "--artifact-dir", "dumps"},
		{"config", "init", "hcctl.yaml"},
		{"config", "init", "--kind", "Cluster", "cluster.yaml"},
		{"create", "cluster", "--name", "kv-01", "--pull-secret", w.PullSecret, "--save-config", "saved.yaml"},
		{"create", "cluster", "--name", "kv-01", "--pull-secret", w.PullSecret,
			"--release-image", "quay.io/x/y:4.20.8-multi", "--render", "--render-into", "rendered.yaml"},
		{"bootstrap", "--render", "manifests", "--skip", "load-balancer/metallb", "--metallb-range", w.Addresses},
	} {
		e := full(t, w.Direct, args...)
		name := strings.Join(args, " ")
		if strings.HasPrefix(name, "bootstrap") && strings.Contains(e.Err, "Nothing to render") {
			continue
		}
		if e.Code != 1 || strings.Count(e.Err, "Error:") != 1 || !strings.Contains(e.Err, "file too large") {
			t.Errorf("a disk that is full, hcctl %s: %s", name, e)
		}
		// The empty directory above a dump may stay: it is not the dump.
		for _, left := range w.Direct.Left(t) {
			if left != "dumps" {
				t.Errorf("a disk that is full, hcctl %s leaves %s", name, left)
			}
		}
	}
	if now, err := os.ReadFile(mine); err != nil || string(now) != string(old) {
		t.Errorf("the user's kubeconfig is now %q (%v)", now, err)
	}
	if beside, err := os.ReadDir(filepath.Dir(mine)); err != nil || len(beside) != 1 {
		t.Errorf("beside the user's kubeconfig there is %v (%v)", beside, err)
	}
	_ = os.Remove(filepath.Join(w.Direct.Dir, "dumps"))
	homeless(t, w)
	w.Direct.Must(t, "delete", "cluster", "kv-00", "--yes")
}

// full runs hcctl where not one byte can be written to any file.
func full(t *testing.T, p *program.Program, args ...string) program.Ended {
	t.Helper()
	cmd := p.Command()
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 0; exec "$0" "$@"`, p.Path}, args...)
	return p.StartCommand(t, cmd).Wait(t)
}

// homeless: a home that cannot be written to, or none at all. Nothing needs it but what is to be written there.
func homeless(t *testing.T, w *world.World) {
	t.Helper()
	for _, home := range []string{"HOME=/proc/self", "HOME=/nowhere/at/all", "HOME=", ""} {
		for _, args := range [][]string{{"get", "clusters", "-o", "name"}, {"check"}, {"exec", "kv-00", "--", "true"}} {
			if e := in(t, w.Direct, home, w.Direct.Kubeconfig, args...); e.Code != 0 {
				t.Errorf("%q, hcctl %s: %s", home, strings.Join(args, " "), e)
			}
		}
	}
	for _, home := range []string{"HOME=/proc/self", "HOME=/proc/nowhere"} {
		e := in(
			t, w.Direct, home, w.Direct.Kubeconfig, "kubeconfig", "kv-00", "--merge", "--file",
			strings.TrimPrefix(home, "HOME=")+"/.kube/config",
		)
		if e.Code != 1 || strings.Count(e.Err, "Error:") != 1 || !strings.Contains(e.Err, "--file") {
			t.Errorf("%q, kubeconfig --merge: %s", home, e)
		}
		if e := in(t, w.Direct, home, "", "get", "clusters"); e.Code != 1 || strings.Count(e.Err, "Error:") != 1 ||
			!strings.Contains(e.Err, "KUBECONFIG") {
			t.Errorf("%q and no kubeconfig: %s", home, e)
		}
	}
}

// in runs hcctl with that home, or with none.
func in(t *testing.T, p *program.Program, home, kubeconfig string, args ...string) program.Ended {
	t.Helper()
	cmd := p.Command(args...)
	var env []string
	for _, v := range cmd.Env {
		if !strings.HasPrefix(v, "HOME=") && !strings.HasPrefix(v, "KUBECONFIG=") {
			env = append(env, v)
		}
	}
	if home != "" {
		env = append(env, home)
	}
	if kubeconfig != "" {
		env = append(env, "KUBECONFIG="+kubeconfig)
	}
	cmd.Env = env
	return p.StartCommand(t, cmd).Wait(t)
}
