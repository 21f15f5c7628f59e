package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// printed runs hcctl rbac, which asks no cluster, and returns its exit code and output.
func printed(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	code = Main(t.Context(), append([]string{"rbac"}, args...),
		cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, func(string) string { return "" })
	return code, out.String(), errs.String()
}

func TestRolesFollowTheSettings(t *testing.T) {
	has := func(text string, args ...string) bool {
		t.Helper()
		code, out, errs := printed(t, args...)
		if code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, errs)
		}
		return strings.Contains(out, text)
	}
	for name, tc := range map[string]struct {
		text string
		args []string
		want bool
	}{
		"all of it by default": {"storageclusters", []string{"--for", "bootstrap"}, true},
		"no wish, no rule":     {"lvmclusters\n  verbs:\n  - create", []string{"--for", "bootstrap"}, false},
		"storage by flag":      {"- lvmcluster\n", []string{"--for", "bootstrap", "--storage", "lvms"}, true},
		"nothing of storage":   {"- ocs-storagecluster\n", []string{"--for", "uninstall", "--storage", "none"}, false},
		"manifests need more": {"escalate", []string{"--for", "bootstrap", "--virtualization-manifests", t.TempDir()},
			true},
		"others do not": {"escalate", []string{"--for", "bootstrap,editor,uninstall", "--namespace", "lab"}, false},
		"with addresses": {"ipaddresspools\n  - l2advertisements\n  verbs:\n  - create\n",
			[]string{"--for", "editor", "--with", "addresses", "--namespace", "lab"}, true},
		"names of clusters": {"- kv-00-admin-kubeconfig\n",
			[]string{"--for", "login", "--cluster-name", "kv-00", "--namespace", "lab"}, true},
		"the name of the role": {"name: mine\n", []string{"--for", "check", "--name", "mine"}, true},
		"its name otherwise": {"name: hcctl-viewer-dump\n",
			[]string{"--for", "dump", "--for", "viewer", "--all-namespaces"}, true},
		"rules and their sense": {"whether wildcard Routes are allowed", []string{"--for", "check", "-o", "table"}, true},
	} {
		if got := has(tc.text, tc.args...); got != tc.want {
			t.Errorf("%s: %v has %q: %v", name, tc.args, tc.text, got)
		}
	}
}

// What is printed is whole documents of known kinds, without a field that the API does not have.
func TestRolesAreStrictlyValid(t *testing.T) {
	// infra is about another cluster, and is printed alone.
	purposes := slices.DeleteFunc(rbac.Names(), func(name string) bool { return name == "infra" })
	args := []string{"--for", strings.Join(purposes, ","), "--namespace", "lab", "--cluster-name", "kv-00", "--user",
		"ann", "--group", "team", "--serviceaccount", "ns:robot", "--with", "token-policy"}
	_, out, _ := printed(t, args...)
	var kinds []string
	for _, doc := range strings.Split(out, "---\n") {
		var head struct {
			Kind string `json:"kind"`
		}
		if err := yaml.Unmarshal([]byte(doc), &head); err != nil {
			t.Fatal(err)
		}
		into := map[string]any{
			"ClusterRole": &rbacv1.ClusterRole{}, "Role": &rbacv1.Role{}, "ClusterRoleBinding": &rbacv1.ClusterRoleBinding{},
			"RoleBinding":                      &rbacv1.RoleBinding{},
			"Namespace":                        &corev1.Namespace{},
			"ValidatingAdmissionPolicy":        &admissionv1.ValidatingAdmissionPolicy{},
			"ValidatingAdmissionPolicyBinding": &admissionv1.ValidatingAdmissionPolicyBinding{},
		}[head.Kind]
		if into == nil {
			t.Fatalf("kind %q", head.Kind)
		}
		if err := yaml.UnmarshalStrict([]byte(doc), into); err != nil {
			t.Errorf("%s: %v", head.Kind, err)
		}
		kinds = append(kinds, head.Kind)
	}
	rest, whole := strings.CutPrefix(strings.Join(kinds, " "), "Namespace Namespace Namespace ClusterRole ClusterRoleBinding ")
	rest, policed := strings.CutSuffix(rest, " ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding")
	if !whole || !policed || strings.Trim(strings.ReplaceAll(rest, "Role RoleBinding", ""), " ") != "" {
		t.Errorf("kinds: %v", kinds)
	}
	_, out, _ = printed(t, append(args, "-o", "json")...)
	var list rbacList
	if err := json.Unmarshal([]byte(out), &list); err != nil || list.Kind != "List" || len(list.Items) != len(kinds) {
		t.Errorf("%v: %s", err, out)
	}
}

type rbacList struct {
	Kind  string            `json:"kind"`
	Items []json.RawMessage `json:"items"`
}

func TestRolesOfNothingKnown(t *testing.T) {
	for want, args := range map[string][]string{
		`"view" is not a purpose: there are check, bootstrap`: {"--for", "view"},
		"--user needs --for":           {"--user", "ann"},
		"NAMESPACE:NAME":               {"--for", "check", "--serviceaccount", "robot"},
		`--with "routes"`:              {"--for", "editor", "--with", "routes"},
		`--cluster-name: "cluster/kv"`: {"--for", "login", "--cluster-name", "cluster/kv"},
		`--output "xml"`:               {"--for", "check", "-o", "xml"},
		`--storage "ceph"`:             {"--for", "bootstrap", "--storage", "ceph"},
		`unexpected argument "check"`:  {"check"},
	} {
		if code, out, errs := printed(t, args...); code != cmdutil.ExitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, errs, want)
		}
	}
	if code, out, _ := printed(t); code != 0 || !strings.Contains(out, "bootstrap") ||
		!strings.Contains(out, "hcctl upgrade") {
		t.Errorf("without --for: exit %d: %s", code, out)
	}
}
