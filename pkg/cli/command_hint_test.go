package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/step"
)

// withFlags is an app that was called with these connection flags.
func withFlags(t *testing.T, args ...string) (*cmdutil.Factory, *bytes.Buffer) {
	t.Helper()
	var errs bytes.Buffer
	a := cmdutil.NewFactory(cmdutil.Streams{Err: &errs}, nil)
	root := newRoot(a)
	if err := root.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return a, &errs
}

// TestHereNamesTheSameCluster: a command that hcctl tells to run means the cluster that this one was about.
func TestHereNamesTheSameCluster(t *testing.T) {
	for _, tc := range []struct {
		args       []string
		text, want string
	}{
		{nil, "hcctl wait cluster kv-00", "hcctl wait cluster kv-00"},
		{[]string{"--context", "mgmt"}, "hcctl wait cluster kv-00", "hcctl --context mgmt wait cluster kv-00"},
		{
			[]string{"--context", "mgmt", "--kubeconfig", "my files/it's"}, "first hcctl check ingress, then `hcctl bootstrap`",
			`first hcctl --kubeconfig 'my files/it'\''s' --context mgmt check ingress, then ` +
				"`hcctl --kubeconfig 'my files/it'\\''s' --context mgmt bootstrap`",
		},
		{[]string{"--context", "mgmt"}, "hcctl create cluster --help", "hcctl create cluster --help"},
		{[]string{"--context", "mgmt"}, "hcctl does not know; hcctl rbac --for check; https://github.com/hcctl/hcctl",
			"hcctl does not know; hcctl rbac --for check; https://github.com/hcctl/hcctl"},
		{[]string{"--as", "somebody", "--token", "hunter2"}, "hcctl exec kv-00 -- oc get nodes",
			"hcctl --as somebody exec kv-00 -- oc get nodes"},
		{[]string{"--context", "$1"}, "hcctl get clusters", "hcctl --context '$1' get clusters"},
	} {
		a, _ := withFlags(t, tc.args...)
		got := a.Call.WithConnection(tc.text)
		if got != tc.want {
			t.Errorf("%q: %q, want %q", tc.args, got, tc.want)
		}
		if again := a.Call.WithConnection(got); again != got {
			t.Errorf("said twice, %q becomes %q", got, again)
		}
	}
}

// TestHereKnowsEveryCommand: a new command is either known to talk to a cluster, or stands here.
func TestHereKnowsEveryCommand(t *testing.T) {
	without := []string{"completion", "config", "docs", "environment", "exit-codes", "explain", "help", "man", "options", "rbac", "version"}
	a, _ := withFlags(t)
	for _, c := range newRoot(a).Commands() {
		if cmdutil.OwnCommand.MatchString("hcctl "+c.Name()) == slices.Contains(without, c.Name()) {
			t.Errorf("does hcctl %s talk to a cluster?", c.Name())
		}
	}
}

// TestHintsNameTheSameCluster: so do errors, and the findings of a run wherever they are told.
func TestHintsNameTheSameCluster(t *testing.T) {
	const hint, want = "hcctl check says more", "hcctl --context mgmt check says more"
	a, errs := withFlags(t, "--context", "mgmt")
	graph, err := step.New(step.Step{ID: "a/b", Title: "b", Check: func(context.Context, step.Reads) step.Finding {
		return step.Broken("no").WithHint(hint)
	}})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	r := a.Call.ReportWithConnection(graph.Run(t.Context(), step.Options{Observe: a.Call.ObserveWithConnection(func(e step.Event) {
		seen = append(seen, e.Finding.Hint)
		if e.Result != nil {
			seen = append(seen, e.Result.Finding.Hint)
		}
	})}))
	for _, got := range append(seen, r.Results[0].Finding.Hint) {
		if got != "" && got != want {
			t.Errorf("told %q", got)
		}
	}
	if !slices.Contains(seen, want) {
		t.Errorf("told %q", seen)
	}
	a.PrintError(r.Err())
	if !strings.Contains(errs.String(), "  → "+want+"\n") {
		t.Error(errs.String())
	}
}
