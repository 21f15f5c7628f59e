package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/step"
)

// Main is MainAs for a program of the usual name.
func Main(ctx context.Context, args []string, streams cmdutil.Streams, getenv func(string) string) int {
	return MainAs(ctx, "hcctl", args, streams, getenv)
}

// run calls hcctl in this process, without a terminal and without a cluster.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("HOME", t.TempDir())
	var out, err bytes.Buffer
	code = Main(t.Context(), args, cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: &err}, func(string) string {
		return ""
	})
	return code, out.String(), err.String()
}

func TestWrongUsageIsOneClearErrorAndExit2(t *testing.T) {
	notJSON := filepath.Join(t.TempDir(), "ps.json")
	if err := os.WriteFile(notJSON, []byte("not json"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"check", "--nope"}, "unknown flag: --nope"},
		{[]string{"frobnicate"}, `unknown command "frobnicate"`},
		{[]string{"check", "extra"}, "extra: a hosted cluster is only probed: give --probe"},
		{[]string{"check", "-o", "xml"}, `--output "xml" is not a format`},
		{[]string{"create"}, "hcctl create what? Use cluster or nodepool"},
		{[]string{"create", "cluster"}, "--name: a name is needed"},
		{[]string{"create", "cluster", "--name", "a", "--memory", "8G1"}, `--memory "8G1"`},
		{[]string{"create", "cluster", "--name", "a", "--node-pool-replicas", "-1"}, "cannot be negative"},
		{[]string{"create", "cluster", "--name", "a", "--wait", "forever"}, `--wait "forever"`},
		{[]string{"create", "cluster", "--name", "a", "--pull-secret", notJSON}, "--pull-secret"},
		{[]string{"create", "cluster", "--name", "a", "--pull-secret", notJSON + "x"}, "--pull-secret: cannot read it"},
		{[]string{"create", "cluster", "--name", "a", "--render"}, "--release-image: needed with --render"},
		{[]string{"bootstrap", "--metallb-range", "10.0.0.9-10.0.0.1"}, "--metallb-range"},
		{[]string{"bootstrap", "--output", "yaml"}, `--output "yaml" is not a format`},
		{[]string{"bootstrap", "--dry-run", "--render", "x"}, "give only one of them"},
		{[]string{"bootstrap", "--dry-run", "--output", "xml"}, `--output "xml" is not a format`},
		{[]string{"bootstrap", "--storage", "ceph"}, `--storage "ceph": use one of auto, existing`},
		{[]string{"bootstrap", "--only", "storge"},
			`--only: "storge" is neither a step nor a group of steps; did you mean storage`},
		{[]string{"bootstrap", "--skip", "ingress,foo"}, "the groups are cluster, storage"},
		{[]string{"bootstrap", "--timeout", "0"}, "--timeout 0s: give a time above zero"},
		{[]string{"bootstrap", "--parallel", "-1"}, "--parallel -1"},
		{[]string{"check", "--only", "foo"}, `--only: "foo" is neither`},
		{[]string{"kubeconfig"}, "--name"},
		{[]string{"delete", "cluster"}, "which hosted cluster?"},
		{[]string{"scale", "nodepool", "a"}, "--replicas: how many?"},
		{[]string{"scale", "nodepool", "a", "--replicas", "2", "--min-replicas", "1"},
			"a fixed number of nodes or is scaled automatically"},
		{[]string{"scale", "nodepool", "a", "--min-replicas", "0", "--max-replicas", "1"}, `--min-replicas "0"`},
		{[]string{"scale", "nodepool", "a", "--replicas", "2", "--wait", "gone"}, `--wait "gone"`},
		{[]string{"scale", "nodepool", "--replicas", "2"}, "which node pool?"},
		{[]string{"create", "nodepool", "a"}, "--cluster-name: which hosted cluster"},
		{[]string{"create", "nodepool", "--cluster-name", "a"}, "which node pool?"},
		{[]string{"create", "nodepool", "a", "--name", "b", "--cluster-name", "a"}, `--name "b": the argument says "a"`},
		{[]string{"create", "nodepool", "A_", "--cluster-name", "a"}, `"A_" cannot be the name of a node pool`},
		{[]string{"create", "nodepool", "a", "--cluster-name", "a", "--cores", "0"}, `--cores "0"`},
		{[]string{"update", "nodepool", "a"}, "what is to be changed?"},
		{[]string{"update", "nodepool", "a", "--vm-affinity", notJSON + "x"}, "--vm-affinity"},
		{[]string{"update", "nodepool", "a", "--replicas", "2"}, "unknown flag: --replicas"},
		{[]string{"delete", "nodepool"}, "which node pool?"},
		{[]string{"stop", "cluster"}, "which hosted cluster?"},
		{[]string{"pause", "cluster", "a", "--until", "yesterday"}, `--until "yesterday"`},
		{[]string{"pause", "cluster", "a", "--until", "2020-01-01T00:00:00Z"}, "has passed"},
		{[]string{"resume", "cluster", "a", "--timeout", "0s"}, "--timeout 0s"},
		{[]string{"upgrade", "cluster", "a", "--version", "4.20"}, `--version "4.20": not a version`},
		{[]string{"upgrade", "cluster", "a", "--version", "4.20.4", "--force-to", "x/y:4.20.4"},
			"give one of --version, --force-to"},
		{[]string{"upgrade", "cluster", "a", "--version", "4.20.4", "--node-pools", "b", "--control-plane-only"},
			"give only one of them"},
		{[]string{"upgrade", "cluster", "a", "-o", "xml"}, `--output "xml" is not a format`},
		{[]string{"upgrade", "cluster", "a", "--version", "4.20.4", "-o", "yaml"}, `--output "yaml" is not a format`},
		{[]string{"upgrade", "nodepool", "a", "--version", "x"}, `--version "x"`},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			code, stdout, stderr := run(t, tc.args...)
			if code != cmdutil.ExitUsage || !strings.Contains(stderr, tc.want) || stdout != "" {
				t.Errorf("exit %d, stdout %q, stderr %q; want exit 2 and %q", code, stdout, stderr, tc.want)
			}
			if n := strings.Count(stderr, "Error: "); n != 1 {
				t.Errorf("%d errors, want one:\n%s", n, stderr)
			}
			if strings.Contains(stderr, "not json") {
				t.Errorf("the pull secret is printed:\n%s", stderr)
			}
		})
	}
}

func TestNoKubeconfigSaysWhatToDo(t *testing.T) {
	code, _, stderr := run(t, "check", "--kubeconfig", filepath.Join(t.TempDir(), "absent"))
	if code != cmdutil.ExitError || !strings.Contains(stderr, "--kubeconfig") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestExitCodes(t *testing.T) {
	ended := func(o step.Outcome) error {
		return &step.RunError{Results: []step.Result{{Step: &step.Step{ID: "a"}, Outcome: o},
			{Step: &step.Step{ID: "b"}, Outcome: step.OutcomeBlocked}}}
	}
	for _, tc := range []struct {
		name string
		err  error
		want int
	}{
		{"none", nil, cmdutil.ExitDone},
		{"any", errors.New("x"), cmdutil.ExitError},
		{"usage", &cmdutil.UsageError{Err: errors.New("x")}, cmdutil.ExitUsage},
		{"flag", fmt.Errorf("create: %w", &options.Error{Field: "memory"}), cmdutil.ExitUsage},
		{"not installed", &hostedcluster.NotInstalledError{}, cmdutil.ExitMissing},
		{"final", failure.New(failure.Final, hint.Text{}, "x"), cmdutil.ExitBroken},
		{"declined", &upgrade.RefusedError{}, cmdutil.ExitError},
		{"release", &upgrade.RefusedError{Usage: true}, cmdutil.ExitUsage},
		{"the outer one decides", cmdutil.WithExit(126, &hostedcluster.NotInstalledError{}), 126},
		{"one of several", errors.Join(errors.New("x"), &hostedcluster.NotInstalledError{}), cmdutil.ExitMissing},
		{"cancelled", fmt.Errorf("get: %w", context.Canceled), cmdutil.ExitInterrupted},
		{"run: missing", ended(step.OutcomeMissing), cmdutil.ExitMissing},
		{"run: timed out", ended(step.OutcomeTimedOut), cmdutil.ExitTimedOut},
		{"run: broken", ended(step.OutcomeBroken), cmdutil.ExitBroken},
		{"run: failed", ended(step.OutcomeFailed), cmdutil.ExitError},
		{"run: interrupted", ended(step.OutcomeInterrupted), cmdutil.ExitInterrupted},
		{"check: missing",
			cmdutil.FoundBy(&step.RunError{Results: []step.Result{{Outcome: step.OutcomeMissing},
				{Outcome: step.OutcomeFailed}}}),
			cmdutil.ExitMissing},
		{"check: broken", cmdutil.FoundBy(&step.RunError{Results: []step.Result{{Outcome: step.OutcomeBroken}}}),
			cmdutil.ExitMissing},
		{"check: unknown", cmdutil.FoundBy(&step.RunError{Results: []step.Result{{Outcome: step.OutcomeFailed}}}),
			cmdutil.ExitError},
	} {
		if got := cmdutil.ExitCode(tc.err); got != tc.want {
			t.Errorf("%s: exit %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestVersionContactsNobody(t *testing.T) {
	code, stdout, stderr := run(t, "version", "-o", "json")
	if code != cmdutil.ExitDone || !strings.Contains(stdout, `"version":"devel"`) || stderr != "" {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
