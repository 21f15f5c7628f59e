package cli

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestTreeCompletes holds that every flag with a closed set of values or of a known kind has completion, and that only
// those that take files offer files.
func TestTreeCompletes(t *testing.T) {
	live := map[string]bool{"namespace": true, "context": true, "cluster": true, "user": true, "cluster-name": true,
		"etcd-storage-class": true, "release-image": true}
	visit(tree(), func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Value.Type() == "bool" || f.Value.Type() == "count" {
				return
			}
			by, ok := cmd.GetFlagCompletionFunc(f.Name)
			ok = ok && by != nil
			where := cmd.CommandPath() + " --" + f.Name
			if live[f.Name] && !ok {
				t.Errorf("%s has no completion", where)
			}
			if !ok && !takesFiles(f) {
				t.Errorf("%s offers files, which it does not take: %q", where, f.Usage)
			}
			if f.Name == "output" || f.Name == "wait" && f.Value.Type() == "string" {
				if values, _ := by(cmd, nil, ""); len(values) == 0 {
					t.Errorf("%s offers nothing: %q", where, f.Usage)
				}
			}
		})
		if strings.Contains(cmd.Use, " ") && cmd.Runnable() && !cmd.HasSubCommands() && cmd.ValidArgsFunction == nil &&
			len(cmd.ValidArgs) == 0 {
			t.Errorf("%s has arguments and no completion of them", cmd.CommandPath())
		}
	})
}

// TestFilesAreOffered holds that flags which take files leave the completion to the shell.
func TestFilesAreOffered(t *testing.T) {
	for call, flags := range map[string][]string{
		"":                {"kubeconfig", "certificate-authority", "client-certificate", "client-key"},
		"create cluster":  {"file", "save-config", "render-into", "pull-secret", "manifests", "vm-affinity"},
		"create nodepool": {"config", "vm-json-patch"},
		"bootstrap":       {"file", "mirror-resources", "render", "virtualization-manifests"},
		"kubeconfig":      {"file"},
		"dump":            {"artifact-dir"},
	} {
		cmd, _, err := tree().Find(strings.Fields(call))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range flags {
			flag := cmd.Flag(name)
			if flag == nil {
				t.Fatalf("%s has no flag --%s", call, name)
			}
			by, ok := cmd.GetFlagCompletionFunc(name)
			if !ok || by == nil {
				if !takesFiles(flag) {
					t.Errorf("%s --%s offers no files", call, name)
				}
				continue
			}
			if values, how := by(cmd, nil, ""); len(values) > 0 || how&cobra.ShellCompDirectiveNoFileComp != 0 {
				t.Errorf("%s --%s offers %q, not files", call, name, values)
			}
		}
	}
}

// offered are what the shell is offered for a call.
func offered(t *testing.T, args ...string) string {
	t.Helper()
	begin := time.Now()
	code, stdout, stderr := hcctl(t, append([]string{"__complete"}, args...)...)
	if took := time.Since(begin); code != 0 || took > 20*time.Second { // the benchmark says how soon it is
		t.Errorf("%v: exit %d after %s: %s", args, code, took, stderr)
	}
	return strings.TrimSuffix(stdout, "\n")
}

// offeredIn asks until what is offered begins so, a few times at most: a machine that is busy does not hear of names in
// completion's own time limit.
func offeredIn(t *testing.T, begin string, args ...string) (got string) {
	t.Helper()
	for range 50 {
		if got = offered(t, args...); strings.HasPrefix(got, begin) {
			break
		}
	}
	return got
}

func TestLiveCompletion(t *testing.T) {
	api := management(t)
	home(t, api.URL)
	for _, args := range [][]string{
		{"kubeconfig", ""}, {"kubeconfig", "--name", ""}, {"exec", "kv"}, {"password", ""}, {"delete", "cluster", ""},
	} {
		if got := offeredIn(t, "kv-00\nkv-01\nkv-02\n:4", args...); !strings.HasPrefix(got, "kv-00\nkv-01\nkv-02\n:4") {
			t.Errorf("%v: %s", args, got)
		}
	}
	if got := offeredIn(t, "kv-01\n:4", "kubeconfig", "kv-01"); !strings.HasPrefix(got, "kv-01\n:4") {
		t.Error(got)
	}
	if got := offered(t, "get", "clusters", "--context", ""); !strings.HasPrefix(got, "mgmt\n:4") {
		t.Error(got)
	}
	if got := offered(t, "create", "cluster", "--name", ""); !strings.HasPrefix(got, ":4") {
		t.Error(got)
	}
	if got := offered(t, "create", "cluster", "--wait", ""); !strings.Contains(got, "complete\n") {
		t.Error(got)
	}
}

// TestCompletionOfAHostedCluster offers what is in the hosted cluster that the line names: its worker VMs, not the
// nodes below them, and the components that have logs.
func TestCompletionOfAHostedCluster(t *testing.T) {
	named := func(name string, labels values) values {
		return values{"metadata": values{"namespace": "clusters-kv-00", "name": name, "labels": labels}}
	}
	home(t, answering(t, map[string]any{
		"/api/v1/nodes": values{"items": []any{named("worker-0", nil)}},
		"/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachineinstances": values{"items": []any{
			named("kv-00-b", values{"hypershift.openshift.io/nodepool-name": "kv-00"}),
			named("kv-00-a", values{"hypershift.openshift.io/nodepool-name": "kv-00"}), named("of-somebody-else", nil)}},
		"/api/v1/namespaces/clusters-kv-00/pods": values{"items": []any{named("jump", nil),
			named("virt-launcher-kv-00-a-xyz", values{"vm.kubevirt.io/name": "kv-00-a"})}},
	}).URL)
	for call, want := range map[string]string{
		"ssh kv-00 ": "kv-00-b\nkv-00-a\n:4", "console kv-00 ": "kv-00-b\nkv-00-a\n:4", "logs kv-00 ": "jump\nkv-00-a\n:4",
		"maintenance ": "worker-0\n:4", "scp kv-00 ": ":0",
	} {
		if got := offeredIn(t, want, strings.Split(call, " ")...); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", call, got)
		}
	}
}

// TestCompletionDoesNotHang: a server that takes a request and never answers, one that is not there, and a broken
// kubeconfig offer nothing, soon, and say nothing.
func TestCompletionDoesNotHang(t *testing.T) {
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer slow.Close()
	defer close(release)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	for name, server := range map[string]string{"silent": slow.URL, "no HTTP": "http://" + listener.Addr().String(),
		"nobody": "http://127.0.0.1:1"} {
		home(t, server)
		begin := time.Now()
		code, stdout, stderr := hcctl(t, "__complete", "kubeconfig", "")
		if took := time.Since(begin); code != 0 || !strings.HasPrefix(stdout, ":4") || strings.Contains(stderr, "Error") ||
			took > 20*time.Second {
			t.Errorf("%s: exit %d after %s: %q %q", name, code, took, stdout, stderr)
		}
	}
	broken := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", broken)
	if code, stdout, stderr := hcctl(t, "__complete", "kubeconfig", ""); code != 0 || !strings.HasPrefix(stdout, ":4") ||
		strings.Contains(stderr, "Error") {
		t.Errorf("exit %d: %q %q", code, stdout, stderr)
	}
}

// TestCompletionIsSoonerThanASlowServer: a server that does not answer is not waited for, and what is known without one
// is offered. How soon is the benchmark's to say; here twenty seconds would be too long by far, on however busy a
// machine.
func TestCompletionIsSoonerThanASlowServer(t *testing.T) {
	ended := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-ended
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(
			[]byte(`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{"metadata":{"name":"kv-00"}}]}`))
	}))
	defer slow.Close()
	defer close(ended)
	home(t, slow.URL)
	for call, want := range map[string]string{
		"status ": ":4", "get clusters --namespace ": ":4", "create cluster --version ": ":36", "upgrade cluster kv-00 " +
			"--version ": ":36",
		"create cluster --wait ": "none\napi\nnodes\ncomplete\nhealthy\n:4", "get clusters --output ": "wide\njson\n", "wait cluster " +
			"kv-00 --for ": "api\n", "get clusters --context ": "mgmt\n:4",
	} {
		begin := time.Now()
		code, stdout, stderr := hcctl(t, append([]string{"__complete"}, strings.Split(call, " ")...)...)
		if code != 0 || !strings.HasPrefix(stdout, want) || strings.Contains(stderr, "Error") {
			t.Errorf("%s: exit %d: %q %q, want %q", call, code, stdout, stderr, want)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%s took %s", call, took)
		}
	}
}
