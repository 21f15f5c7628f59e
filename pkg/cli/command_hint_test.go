package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/hint"
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

// TestHereNamesTheSameCluster: a command that hcctl tells to run means the cluster that this one was about, and has the
// name that hcctl was called by. A text is left as it is.
func TestHereNamesTheSameCluster(t *testing.T) {
	wait := hint.Run("wait cluster", "kv-00").Text()
	for _, tc := range []struct {
		args []string
		name string
		text hint.Text
		want string
	}{
		{nil, "", wait, "hcctl wait cluster kv-00"},
		{nil, "oc hcctl", wait, "oc hcctl wait cluster kv-00"},
		{[]string{"--context", "mgmt"}, "kubectl hcctl", wait, "kubectl hcctl --context mgmt wait cluster kv-00"},
		{
			[]string{"--context", "mgmt", "--kubeconfig", "my files/it's"}, "",
			hint.New("first %s, then `%s`", hint.Run("check", "ingress"), hint.New("%s", hint.Run("bootstrap"))),
			`first hcctl --kubeconfig 'my files/it'\''s' --context mgmt check ingress, then ` +
				"`hcctl --kubeconfig 'my files/it'\\''s' --context mgmt bootstrap`",
		},
		{[]string{"--context", "mgmt"}, "", hint.Run("create cluster").Flag("help").Text(), "hcctl create cluster --help"},
		{[]string{"--context", "mgmt"}, "", hint.New("hcctl check does not know; %s; %s",
			hint.Run("rbac").Flag("for", "check"),
			"https://github.com/hcctl/hcctl"),
			"hcctl check does not know; hcctl rbac --for check; https://github.com/hcctl/hcctl"},
		{[]string{"--as", "somebody", "--token", "hunter2"}, "",
			hint.Run("exec", "kv-00", "--", "oc", "get", "nodes").Text(),
			"hcctl --as somebody exec kv-00 -- oc get nodes"},
		{[]string{"--context", "$1"}, "", hint.Run("get clusters").Flag("l", "a=b c").Text(),
			"hcctl --context '$1' get clusters -l 'a=b c'"},
	} {
		a, _ := withFlags(t, tc.args...)
		a.Call.Name = tc.name
		if got := a.Call.Render(tc.text); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.args, got, tc.want)
		}
	}
}

// TestHereKnowsEveryCommand: a new command either talks to a cluster, or stands here.
func TestHereKnowsEveryCommand(t *testing.T) {
	without := []string{"completion", "config", "docs", "environment", "exit-codes", "explain", "help", "man", "options", "rbac", "version"}
	a, _ := withFlags(t, "--context", "mgmt")
	for _, c := range newRoot(cmdutil.NewFactory(cmdutil.Streams{}, nil)).Commands() {
		if strings.Contains(a.Call.Render(hint.Run(c.Name()).Text()), "mgmt") == slices.Contains(without, c.Name()) {
			t.Errorf("does hcctl %s talk to a cluster?", c.Name())
		}
	}
}

// TestHintsNameTheSameCluster: so do errors, and the findings of a run wherever they are told.
func TestHintsNameTheSameCluster(t *testing.T) {
	const want = "hcctl --context mgmt check says more"
	a, errs := withFlags(t, "--context", "mgmt")
	graph, err := step.New(step.Step{ID: "a/b", Title: "b", Check: func(context.Context, step.Reads) step.Finding {
		return step.Broken("no").WithHint("%s says more", hint.Run("check"))
	}})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	r := a.Call.RenderReport(graph.Run(t.Context(), step.Options{Observe: a.Call.RenderEvents(func(e step.Event) {
		seen = append(seen, e.Finding.Hint.String())
		if e.Result != nil {
			seen = append(seen, e.Result.Finding.Hint.String())
		}
	})}))
	for _, got := range append(seen, r.Results[0].Finding.Hint.String()) {
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
