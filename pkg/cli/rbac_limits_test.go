package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// TestRolesThatReachSecretsSayWhere: those of every namespace are not given by leaving something out.
func TestRolesThatReachSecretsSayWhere(t *testing.T) {
	for _, tc := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"--for editor", 2, "give --namespace NAMESPACE of the hosted clusters; or --all-namespaces"},
		{"--for login", 2, "--for login without --namespace reaches the Secrets of every namespace"},
		{"--for login --cluster-name kv-00", 2, "--for login without --namespace"},
		{"--for dump", 2, "without --namespace and --cluster-name reaches"},
		{"--for dump --namespace clusters", 2, "without --cluster-name reaches"},
		{"--for density", 2, "--for density without --namespace"},
		{"--for viewer,login,check", 2, "--for login without --namespace"},
		{"--for editor -o json", 2, "without --namespace"},
		{"--for editor --user ann", 2, "without --namespace"},
		{"--for editor --namespace=", 2, "--namespace is empty"},
		{"--for login --namespace clusters --cluster-name=", 2, "--cluster-name is empty"},
		{"--for editor --namespace clusters -A", 2, "give only one of them"},
		{"--for editor --namespace kube-system", 2, "belongs to the platform"},
		{"--for login --namespace openshift-config", 2, "belongs to the platform"},
		{"--for dump --namespace kube --cluster-name system", 2, "--namespace kube: the namespace kube belongs"},
		{"--for editor --namespace a/b", 2, "names of namespaces have at most"},
		{"--for login --namespace clusters --cluster-name kv\t00", 2, "--cluster-name"},
		{"--for editor --namespace clusters --name a/b", 2, "--name \"a/b\""},
		{"--for login --namespace clusters --with token-policy", 2, "--with token-policy needs --user"},
		{"--for login --namespace clusters --user ann --with token-policy", 2, "may create no Secrets anyway"},

		{"--for editor --namespace clusters --cluster-set sites", 2, "--cluster-set is for --for tenant"},
		{"--for viewer --namespace clusters --cluster-name local-cluster", 2, "that is the hub itself"},
		{"--for viewer --namespace clusters --cluster-name hive", 2, "the namespace hive belongs to the platform"},
		{"--for editor --namespace clusters --user ann --with token-policy --no-policy", 2, "and no --no-policy"},

		{"--for dump --namespace clusters --cluster-name kv-00", 0, "if there are any: clusters-kv/00; nothing was looked at"},
		{"--for tenant --namespace clusters --cluster-name kv", 0, "it has no right to import the cluster into its hub"},
		{"--for editor --namespace clusters --user ann --no-policy", 0, "gets a token of every ServiceAccount there"},
		{"--for editor --all-namespaces", 0, "amounts to cluster-admin: it may read and create Secrets in every namespace"},
		{"--for login -A", 0, "amounts to cluster-admin: it may read Secrets in every namespace"},
		{"--for login -A --cluster-name kv-00", 0, "Secrets of these names in every namespace"},
		{"--for uninstall", 0, "amounts to cluster-admin"},
		{"--for bootstrap", 0, "amounts to cluster-admin"},
		{"--for editor --namespace clusters", 0, "gets a token of every ServiceAccount there"},
		{"--for editor --namespace clusters", 0, "it reads every Secret in namespace clusters"},
		{"--for editor --namespace clusters", 0, "it may detach every ManagedCluster"},
		{"--for dump --namespace clusters --cluster-name kv-00", 0, "it reads every Secret in namespace clusters-kv-00"},
	} {
		var args []string
		for _, arg := range strings.Split(tc.args, " ") {
			args = append(args, strings.ReplaceAll(arg, `\t`, "\t"))
		}
		code, out, errs := printed(t, args...)
		if code != tc.code || !strings.Contains(errs, tc.stderr) || (code == 0) != (out != "") {
			t.Errorf("%s: exit %d: %q, want %d and %q", tc.args, code, errs, tc.code, tc.stderr)
		}
	}
	for _, quiet := range []string{"--for viewer", "--for check",
		"--for login --namespace clusters --cluster-name kv-00"} {
		if code, _, errs := printed(t, strings.Fields(quiet)...); code != 0 || errs != "" {
			t.Errorf("%s: exit %d: %q", quiet, code, errs)
		}
	}
	if code, out, _ := printed(t, "--for", "editor", "-o", "table"); code != 0 ||
		!strings.Contains(out, "Note for editor:") {
		t.Errorf("a table: exit %d: %s", code, out)
	}
}

// The namespace of a context is where a user happens to be, and no word about a role.
func TestAContextsNamespaceIsNoLimit(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	file := filepath.Join(t.TempDir(), "config")
	const content = `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u","namespace":"mine"}}],` +
		`"clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1"}}],"users":[{"name":"u","user":{}}]}`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := printed(t, "--kubeconfig", file, "--for", "editor"); code != cmdutil.ExitUsage || out != "" ||
		!strings.Contains(errs, "without --namespace") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if code, out, _ := printed(t, "--kubeconfig", file, "--for", "viewer"); code != 0 || strings.Contains(out, "mine") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// What a purpose opens beyond its words stands in the list of purposes.
func TestTheListSaysWhatRolesOpen(t *testing.T) {
	_, out, _ := printed(t)
	for _, p := range rbac.Purposes() {
		if len(p.Mind) == 0 {
			t.Errorf("%s: nothing to mind", p.Purpose)
		}
		for _, m := range p.Mind {
			if !strings.Contains(out, m) {
				t.Errorf("%s: %q is not in the list", p.Purpose, m)
			}
		}
	}
}
