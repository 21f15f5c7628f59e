package cli

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestOneCommandIsThatOfTheWholeTree: a call builds its own command alone, and nobody notices.
func TestOneCommandIsThatOfTheWholeTree(t *testing.T) {
	// cmdutil's answer to several names looks for the command beside, which has to be below the same word.
	plurals := map[string]bool{}
	for _, c := range commands {
		plurals[c.word+"s"] = true
	}
	helps := func(root *cobra.Command, word string) map[string]string {
		texts := map[string]string{}
		var visit func(*cobra.Command)
		visit = func(cmd *cobra.Command) {
			texts[cmd.CommandPath()] = helpText(cmd, widestHelp)
			for _, sub := range cmd.Commands() {
				visit(sub)
			}
		}
		found, _, err := root.Find([]string{word})
		if err != nil || found.Name() != word {
			t.Fatalf("%s: %v, %v", word, found.Name(), err)
		}
		visit(found)
		return texts
	}
	whole := newRoot(cmdutil.NewFactory(cmdutil.Streams{}, nil))
	for _, c := range commands {
		if plurals[c.word] {
			t.Errorf("%s: another command has its singular", c.word)
		}
		one := newTree(cmdutil.NewFactory(cmdutil.Streams{}, nil), c.word)
		if n := len(one.Commands()); n != 1 {
			t.Errorf("%s: %d commands were built", c.word, n)
		}
		want := helps(whole, c.word)
		for path, text := range helps(one, c.word) {
			if text != want[path] {
				t.Errorf("%s: alone its help is\n%s\nand among all commands\n%s", path, text, want[path])
			}
			delete(want, path)
		}
		for path := range want {
			t.Errorf("%s is not there if %s is built alone", path, c.word)
		}
	}
}

func TestSingle(t *testing.T) {
	for _, c := range []struct {
		want, name string
		args       []string
	}{
		{"get", "hcctl", []string{"get", "clusters"}},
		{"version", "hcctl", []string{"version"}},
		{"create", "hcctl", []string{cobra.ShellCompRequestCmd, "create", "cluster", "--"}},
		{"", "hcctl", []string{cobra.ShellCompRequestCmd, "get"}}, // may become another word
		{"", "hcctl", []string{cobra.ShellCompRequestCmd}},
		{"", "hcctl", nil},
		{"", "hcctl", []string{"--kubeconfig", "get", "status"}},
		{"", "hcctl", []string{"gett"}},
		{"", "hcctl", []string{"docs", "commands"}},
		{"", "kubectl hcctl", []string{"get", "clusters"}},
	} {
		if got := single(c.name, c.args); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.name, c.args, got, c.want)
		}
	}
}
