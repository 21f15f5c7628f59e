package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// tree is the whole of hcctl's commands, without a cluster.
func tree() *cobra.Command {
	a := cmdutil.NewFactory(cmdutil.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, nil)
	root := newRoot(a)
	completeTree(a, root)
	return root
}

// visit calls f for cmd and every command below it.
func visit(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		visit(sub, f)
	}
}

// TestTreeExplainsItself holds what every command owes its reader: short and long help, an example, a word on each
// flag, and JSON where there is a choice of formats.
func TestTreeExplainsItself(t *testing.T) {
	visit(tree(), func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if cmd.Short == "" {
			t.Errorf("%s has no short help", path)
		}
		if strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: the short help ends with a full stop: %q", path, cmd.Short)
		}
		if cmd.HasSubCommands() && cmd.HasParent() && cmd.GroupID == "" && !cmd.Parent().HasParent() {
			t.Errorf("%s is in no group of hcctl --help", path)
		}
		if !cmd.HasSubCommands() && cmd.Long == "" {
			t.Errorf("%s has no long help", path)
		}
		if cmd.Runnable() && !cmd.HasSubCommands() {
			checkExample(t, cmd)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s is not described", path, f.Name)
			}
		})
		if f := cmd.LocalFlags().Lookup("output"); f != nil {
			if !strings.Contains(f.Usage, "json") {
				t.Errorf("%s -o without json: %q", path, f.Usage)
			}
			if f.Shorthand != "o" {
				t.Errorf("%s: --output has no -o", path)
			}
		}
	})
}

// checkExample holds that a command has examples and that each is a call of that very command with flags it has.
func checkExample(t *testing.T, cmd *cobra.Command) {
	t.Helper()
	path := cmd.CommandPath()
	if cmd.Example == "" {
		t.Errorf("%s has no example", path)
		return
	}
	if !strings.Contains(cmd.Example, path) && !strings.Contains(cmd.Example, "hcctl help") {
		t.Errorf("%s: no example calls it:\n%s", path, cmd.Example)
	}
	for _, line := range strings.Split(cmd.Example, "\n") {
		if line != "" && !strings.HasPrefix(line, "  ") {
			t.Errorf("%s: an example is not set in by two spaces: %q", path, line)
		}
		if !strings.HasPrefix(strings.TrimSpace(line), path+" ") {
			continue
		}
		call, _, _ := strings.Cut(line, " -- ")
		for _, word := range strings.Fields(call) {
			name, ok := strings.CutPrefix(word, "--")
			name, _, _ = strings.Cut(name, "=")
			if ok && cmd.Flag(name) == nil {
				t.Errorf("%s: an example has --%s, which it does not take: %q", path, name, line)
			}
		}
	}
}

func TestHelpTopics(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"help", "exit-codes"}, "130  interrupted"},
		{[]string{"exit-codes"}, "130  interrupted"},
		{[]string{"help", "environment"}, "HCCTL_METALLB_RANGE"},
		{[]string{"environment"}, "HCCTL_METALLB_RANGE"},
		{[]string{"help", "config"}, "metallbRanges"},
		{[]string{"help", "delete", "cluster"}, "hcctl delete cluster NAME"},
		{[]string{"help"}, "Help topics: exit-codes"},
		{[]string{"__complete", "help", "exit"}, "exit-codes\t"},
	} {
		code, stdout, stderr := run(t, tc.args...)
		if code != cmdutil.ExitDone || !strings.Contains(stdout, tc.want) {
			t.Errorf("%v: exit %d, want %q in:\n%s%s", tc.args, code, tc.want, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"help", "nope"}, {"help", "create", "nope"}} {
		if code, stdout, stderr := run(t, args...); code != cmdutil.ExitUsage || stdout != "" ||
			!strings.Contains(stderr, `"nope"`) {
			t.Errorf("%v: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
}
