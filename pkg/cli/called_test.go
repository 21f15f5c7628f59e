package cli

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// runAs calls hcctl by the path of its program.
func runAs(t *testing.T, program string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	t.Setenv("HOME", t.TempDir())
	var out, errs bytes.Buffer
	code = MainAs(t.Context(), program, args, cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
		func(string) string { return "" })
	return code, out.String(), errs.String()
}

// TestHelpHasTheNameThatItWasCalledBy looks for commands without the name of the program that runs the plugin, in the
// help of every command, in errors and in hints.
func TestHelpHasTheNameThatItWasCalledBy(t *testing.T) {
	root := newRoot(cmdutil.NewFactory(cmdutil.Streams{}, nil))
	for program, name := range map[string]string{
		"/usr/bin/kubectl-hcctl":           "kubectl hcctl",
		`C:\Users\a\bin\kubectl-hcctl.EXE`: "kubectl hcctl",
		"oc-hcctl":                         "oc hcctl",
		"/usr/local/bin/hcctl":             "hcctl",
		"./hcctl-darwin-arm64":             "hcctl",
	} {
		for _, sub := range root.Commands() {
			code, out, errs := runAs(t, program, "help", sub.Name())
			if code != 0 || errs != "" {
				t.Fatalf("%s help %s: %d %s", program, sub.Name(), code, errs)
			}
			if sub.Runnable() && !strings.Contains(out, "  "+name+" "+sub.Name()) {
				t.Errorf("%s: help %s does not say %q:\n%s", program, sub.Name(), name+" "+sub.Name(), out)
			}
			without := regexp.MustCompile(`(?m)^  +hcctl .*$`).FindString(out)
			if name != "hcctl" && without != "" {
				t.Errorf("%s: help %s has a command without the name: %q", program, sub.Name(), without)
			}
			if strings.Contains(out, "kubectl kubectl") || strings.Contains(out, "oc oc") {
				t.Errorf("%s: help %s has the name twice", program, sub.Name())
			}
		}
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--help"}, "kubectl hcctl help COMMAND explains one"},
		{[]string{"help", "--all"}, "Topics (kubectl hcctl help TOPIC):"},
		{[]string{"create"}, "Error: kubectl hcctl create what? Use cluster or nodepool"},
		{[]string{"version", "-o", "xml"}, "→ kubectl hcctl version --help"},
		{[]string{"get", "clusters"}, "kubeconfig"},
	} {
		_, out, errs := runAs(t, "kubectl-hcctl", tt.args...)
		if !strings.Contains(out+errs, tt.want) {
			t.Errorf("%v: no %q in\n%s%s", tt.args, tt.want, out, errs)
		}
	}
}

// TestTextsKeepTheProductsName tells commands from the name of the product.
func TestTextsKeepTheProductsName(t *testing.T) {
	a := cmdutil.NewFactory(cmdutil.Streams{}, nil)
	a.Call.Name = "oc hcctl"
	root := newRoot(a)
	for text, want := range map[string]string{
		"hcctl creates clusters":              "hcctl creates clusters",
		"labels that hcctl writes":            "labels that hcctl writes",
		"run hcctl check, then hcctl create":  "run oc hcctl check, then oc hcctl create",
		"hcctl --context a check":             "oc hcctl --context a check",
		"kubectl hcctl check":                 "oc hcctl check",
		"hcctl.yaml and hcctl-sandbox create": "hcctl.yaml and hcctl-sandbox create",
	} {
		if got := cmdutil.AsCalled(a.Call, root, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestVersionSaysWhereItComesFrom holds version to what a release tells the linker.
func TestVersionSaysWhereItComesFrom(t *testing.T) {
	got := versionLine("v1.2.3", strings.Repeat("ab", 20), "2026-11-24T12:00:00Z")
	if !strings.HasPrefix(got, "hcctl v1.2.3 ") ||
		!strings.HasSuffix(got, " (commit abababababab of 2026-11-24T12:00:00Z)") {
		t.Errorf("version says %q", got)
	}
	if got := versionLine("devel", "", ""); strings.Contains(got, "commit") {
		t.Errorf("nobody told it the commit: %s", got)
	}
	_, out, _ := run(t, "version", "-o", "json")
	var read map[string]string
	if err := json.Unmarshal([]byte(out), &read); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"version", "commit", "date", "os", "arch", "go"} {
		if _, ok := read[key]; !ok {
			t.Errorf("version -o json has no %s: %s", key, out)
		}
	}
}
