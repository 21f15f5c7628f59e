package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestWhoIsRefusedHearsOfTheRole(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "kv-00-admin-kubeconfig",
		errors.New("no"))
	finding := &step.RunError{Results: []step.Result{{Step: &step.Step{ID: "a/b"}, Outcome: step.OutcomeFailed,
		Finding: kube.Unknown(forbidden)}}}
	for name, tc := range map[string]struct {
		err           error
		command, want string
	}{
		"an error": {fmt.Errorf("read: %w", forbidden), "hcctl kubeconfig",
			"hcctl rbac --for login --namespace clusters --user USER\n"},
		"a finding": {finding, "hcctl delete cluster",
			"hcctl rbac --for editor --namespace clusters --user USER\n"},
		"two purposes": {forbidden, "hcctl wait cluster", "hcctl rbac --for viewer,login --namespace clusters " +
			"--user USER\n"},
		"the least of several": {forbidden, "hcctl check", "hcctl rbac --for check --user USER\n"},
		"a denial by a webhook": {apierrors.NewForbidden(schema.GroupResource{Resource: "hostedclusters"}, "a",
			errors.New(`admission webhook "w" denied the request: no`)), "hcctl create cluster", ""},
		"something else":    {errors.New("no such thing"), "hcctl get clusters", ""},
		"no cluster needed": {forbidden, "hcctl version", ""},
	} {
		a, errs := withFlags(t)
		cmd, _, err := newRoot(a).Find(strings.Fields(tc.command)[1:])
		if err != nil {
			t.Fatal(err)
		}
		a.Call.PrintDenied(tc.err, cmd)
		if got := errs.String(); tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q in it", name, got, tc.want)
		}
	}
}

// TestToldRolesCanBePrinted: a command for a role that hcctl tells to run is one that it takes, for the namespace of
// the call.
func TestToldRolesCanBePrinted(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "x", errors.New("no"))
	for _, tc := range []struct{ call, want string }{
		{"dump kv-00", "--for dump --namespace clusters --cluster-name kv-00 "},
		{"dump kv-00 --namespace team-a", "--for dump --namespace team-a --cluster-name kv-00 "},
		{"kubeconfig kv-00 --namespace team-a", "--for login --namespace team-a "},
		{"kubeconfig --all-namespaces", "--for login --all-namespaces "},
		{"get clusters -A", "--for viewer "},
		{"delete cluster kv-00", "--for editor --namespace clusters "},
		{"density --count 1 --namespace load", "--for density --namespace load "},
		{"uninstall", "--for uninstall "},
		{"bootstrap", "--for bootstrap "},
	} {
		a, errs := withFlags(t)
		root := newRoot(a)
		cmd, rest, err := root.Find(strings.Fields(tc.call))
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Fatal(err)
		}
		a.Call.PrintDenied(forbidden, cmd)
		_, command, ok := strings.Cut(strings.TrimSpace(errs.String()), "hcctl rbac ")
		if !ok || !strings.Contains(command, tc.want) {
			t.Errorf("%s: told %q, want %q", tc.call, errs, tc.want)
			continue
		}
		if code, _, said := printed(t, strings.Fields(command)...); code != 0 {
			t.Errorf("%s: told %q, which ends with %d: %s", tc.call, command, code, said)
		}
	}
}
