package connection_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/cli/internal/connection"
)

const kubeconfig = `apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: one, cluster: {server: "https://one.example.com:6443"}}
- {name: two, cluster: {server: "https://two.example.com:6443"}}
users:
- {name: ann, user: {token: ann-token}}
contexts:
- {name: one, context: {cluster: one, user: ann, namespace: lab}}
- {name: two, context: {cluster: two, user: ann}}
`

func parse(t *testing.T, args ...string) *connection.Flags {
	t.Helper()
	f := new(connection.Flags)
	set := pflag.NewFlagSet("hcctl", pflag.ContinueOnError)
	f.Bind(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFlagsWinOverTheKubeconfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	as := rest.ImpersonationConfig{UserName: "bob", UID: "7", Groups: []string{"a", "b"},
		Extra: map[string][]string{"scopes": {"x", "y=z"}}}
	for name, tc := range map[string]struct {
		args         []string
		host, bearer string
		namespace    string
		as           rest.ImpersonationConfig
	}{
		"the file alone": {nil, "https://one.example.com:6443", "ann-token", "lab", rest.ImpersonationConfig{}},
		"a context": {[]string{"--context", "two"}, "https://two.example.com:6443", "ann-token", "default",
			rest.ImpersonationConfig{}},
		"a cluster": {[]string{"--cluster", "two"}, "https://two.example.com:6443", "ann-token", "lab",
			rest.ImpersonationConfig{}},
		"server and token": {[]string{"-s", "https://three:6443", "--token", "t"}, "https://three:6443", "t", "lab",
			rest.ImpersonationConfig{}},
		"a namespace": {[]string{"-n", "other"}, "https://one.example.com:6443", "ann-token", "other",
			rest.ImpersonationConfig{}},
		"somebody else": {[]string{"--as", "bob", "--as-uid", "7", "--as-group", "a", "--as-group", "b",
			"--as-user-extra", "scopes=x", "--as-user-extra", "scopes=y=z"}, "https://one.example.com:6443", "ann-token",
			"lab", as},
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, append(tc.args, "--kubeconfig", file)...)
			config, err := f.REST()
			if err != nil {
				t.Fatal(err)
			}
			namespace, _, err := f.Loader().Namespace()
			if err != nil {
				t.Fatal(err)
			}
			if config.Host != tc.host || config.BearerToken != tc.bearer || namespace != tc.namespace {
				t.Errorf("got %s, token %q, namespace %s", config.Host, config.BearerToken, namespace)
			}
			if diff := cmp.Diff(tc.as, config.Impersonate); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoKubeconfig(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if config, err := parse(t).REST(); !clientcmd.IsEmptyConfig(err) {
		t.Errorf("got %v, %v", config, err)
	}
	config, err := parse(t, "--server", "https://three:6443").REST()
	if err != nil || config.Host != "https://three:6443" {
		t.Errorf("got %v, %v", config, err)
	}
}

func TestBindLeavesOutWhatKubectlDoesNotShow(t *testing.T) {
	set := pflag.NewFlagSet("hcctl", pflag.ContinueOnError)
	new(connection.Flags).Bind(set)
	for _, name := range []string{"username", "password", "proxy-url", "cache-dir"} {
		if set.Lookup(name) != nil {
			t.Errorf("--%s is there", name)
		}
	}
}
