package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// Whatever somebody writes into the Secret of a kubeconfig: no command runs, no file is read, nobody is asked, nothing
// of it comes out, and no command of hcctl waits for it to get better.
func TestHostileKubeconfigs(t *testing.T) {
	refused := regexp.MustCompile(`Secret clusters/kv-00-admin-kubeconfig[:,] key kubeconfig, ` +
		`(it|[A-Za-z][A-Za-z.?-]*(\[0\][A-Za-z.?-]*)?) is refused: `)
	// These have a document or the progress on stdout, which the marks are looked for in.
	speaks := regexp.MustCompile(`^(status|dump|wait cluster)`)
	for _, command := range []struct {
		line string
		code int
	}{
		{"kubeconfig kv-00", cmdutil.ExitBroken},
		{"kubeconfig --all", cmdutil.ExitBroken},
		{"kubeconfig kv-00 --merge", cmdutil.ExitBroken},
		{"kubeconfig kv-00 --wait --timeout 30s", cmdutil.ExitBroken},
		{"kubeconfig --all --merge --wait --timeout 30s", cmdutil.ExitBroken},
		{"exec kv-00 -- touch CANARY", cmdutil.ExitBroken},
		{"password kv-00 -o json", cmdutil.ExitBroken},
		{"console kv-00", cmdutil.ExitBroken},
		{"status kv-00", cmdutil.ExitBroken},
		{"dump kv-00 --archive-dump=false --artifact-dir DIR", cmdutil.ExitMissing},
		{"wait cluster kv-00 --for api -o json --timeout 30s", cmdutil.ExitBroken},
		{"create cluster OPTIONS --skip-preflight all --yes --timeout 30s", cmdutil.ExitBroken},
	} {
		t.Run(strings.ReplaceAll(command.line, "/", "_"), func(t *testing.T) {
			tr := newTrap(t)
			// The objects are those that the same create would make, so that it has nothing to do but to wait.
			pull := filepath.Join(t.TempDir(), "pull.json")
			if err := os.WriteFile(pull, []byte(`{"auths":{"quay.io":{"auth":"dTpw"}}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			options := kv00Options + pull
			objects := rendered(t, options)
			for name, content := range tr.variations() {
				t.Run(name, func(t *testing.T) {
					mine := home(t, besieged(t, objects, content))
					before, err := os.ReadFile(mine)
					if err != nil {
						t.Fatal(err)
					}
					dir := t.TempDir()
					line := strings.NewReplacer("CANARY", tr.canary, "DIR", dir, "OPTIONS", options).Replace(command.line)
					code, stdout, stderr := hcctl(t, strings.Fields(line)...)
					if code != command.code {
						t.Errorf("exit %d, want %d\n%s\n%s", code, command.code, stdout, stderr)
					}
					tr.sprung(t)
					told := stdout + stderr + everything(t, dir)
					if !refused.MatchString(told) {
						t.Errorf("it is not told that it is refused:\n%s\n%s", stdout, stderr)
					}
					for _, mark := range []string{localSecret, "a-token-of-theirs", "zq-password", "mgmt-token"} {
						if strings.Contains(told, mark) {
							t.Errorf("%q comes out:\n%s\n%s", mark, stdout, stderr)
						}
					}
					if stdout != "" && !speaks.MatchString(command.line) {
						t.Errorf("something is printed:\n%s", stdout)
					}
					if after, err := os.ReadFile(mine); err != nil || string(after) != string(before) {
						t.Errorf("the user's kubeconfig is changed: %v\n%s", err, after)
					}
				})
			}
		})
	}
}

// everything is what the files in a directory hold.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The traps work: client-go by itself runs the command, and sends the file.
func TestTrapsCatchClientGo(t *testing.T) {
	tr := newTrap(t)
	ask := func(name string) {
		cfg, err := clientcmd.RESTConfigFromKubeConfig([]byte(tr.variations()[name]))
		if err != nil {
			t.Fatal(err)
		}
		c, err := rest.HTTPClientFor(cfg)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cfg.Host+"/version", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := c.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}
	if ask("exec"); !exists(tr.canary) {
		t.Error("no command ran")
	}
	if ask("tokenFile"); tr.seen.Load() != "Bearer "+localSecret {
		t.Errorf("the server was sent %v", tr.seen.Load())
	}
	tr.requests.Store(0)
	if ask("proxy-url"); tr.requests.Load() == 0 {
		t.Error("the proxy was not asked")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A server in a kubeconfig that is taken gets the credentials of that kubeconfig and none of the management cluster's.
func TestHostedServersGetTheirOwnCredentialsAlone(t *testing.T) {
	tr := newTrap(t)
	pull := filepath.Join(t.TempDir(), "pull.json")
	if err := os.WriteFile(pull, []byte(`{"auths":{"quay.io":{"auth":"dTpw"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	home(t, besieged(t, rendered(t, kv00Options+pull), tr.kubeconfig))
	for _, args := range [][]string{{"status", "kv-00"}, {"password", "kv-00", "-o", "json"},
		{"kubeconfig", "kv-00", "--wait"}} {
		tr.requests.Store(0)
		hcctl(t, args...)
		if tr.requests.Load() == 0 || tr.seen.Load() != "Bearer a-token-of-theirs" {
			t.Errorf("%v: %d requests, the last with %q", args, tr.requests.Load(), tr.seen.Load())
		}
	}
}
