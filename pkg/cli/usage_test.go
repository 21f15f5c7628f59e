package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// goTypes are words that pflag prints for the types of flags, and that only a programmer knows.
var goTypes = []string{" stringArray ", " strings ", " stringToString ", " duration ", " int ", " int32 ", " string "}

// TestHelpFitsTheScreen walks all commands: no line is too long, no word is a type of Go, and no flag of every
// command is listed.
func TestHelpFitsTheScreen(t *testing.T) {
	for _, width := range []int{widestHelp, 80} {
		visit(tree(), func(cmd *cobra.Command) {
			text := helpText(cmd, width)
			for _, line := range strings.Split(text, "\n") {
				// Examples, forms and set-in lines are given as they are.
				given := strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "      --") &&
					!strings.HasPrefix(line, "  -") && !strings.HasPrefix(line, "            ")
				if n := len([]rune(line)); n > width && !given && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s at %d columns: a line of %d: %s", cmd.CommandPath(), width, n, line)
				}
				for _, word := range goTypes {
					if strings.HasPrefix(strings.TrimLeft(line, " "), "-") && strings.Contains(line, word+" ") {
						t.Errorf("%s: %q is a type of Go: %s", cmd.CommandPath(), word, line)
					}
				}
			}
			if cmd.Name() != "options" && strings.Contains(text, "--insecure-skip-tls-verify ") {
				t.Errorf("%s lists the flags of every command", cmd.CommandPath())
			}
		})
	}
	if code, out, _ := run(t, "options"); code != 0 || !strings.Contains(out, "--insecure-skip-tls-verify") {
		t.Errorf("exit %d: hcctl options lists no flags:\n%s", code, out)
	}
}

// TestTheOverviewFitsAScreenOf24Lines: with the line of the shell's prompt, and each command of hcctl is named.
func TestTheOverviewFitsAScreenOf24Lines(t *testing.T) {
	text := helpText(tree(), 80)
	if n := strings.Count(text, "\n"); n > 23 {
		t.Errorf("hcctl --help has %d lines:\n%s", n, text)
	}
	code, all, errs := run(t, "help", "--all")
	if code != 0 || errs != "" {
		t.Errorf("hcctl help --all: exit %d, %s", code, errs)
	}
	for _, sub := range tree().Commands() {
		if sub.Hidden || sub.Name() == "help" {
			continue
		}
		if !regexp.MustCompile(`\b` + sub.Name() + `\b`).MatchString(text) {
			t.Errorf("hcctl --help does not name %s", sub.Name())
		}
		if !strings.Contains(all, "\n  "+sub.Name()+" ") {
			t.Errorf("hcctl help --all does not list %s", sub.Name())
		}
	}
	for _, name := range mostNeeded {
		if !strings.Contains(text, "\n  "+name+" ") {
			t.Errorf("hcctl --help says nothing about %s", name)
		}
	}
	code, _, errs = run(t, "help", "--all", "get")
	if code != cmdutil.ExitUsage || !strings.Contains(errs, "give no command") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// TestEveryHelpHasAnExampleWithinTheWidth: of what can be run, and of what has subcommands.
func TestEveryHelpHasAnExampleWithinTheWidth(t *testing.T) {
	visit(tree(), func(cmd *cobra.Command) {
		if !cmd.Runnable() && !cmd.HasSubCommands() || !cmd.HasParent() || cmd.Hidden {
			return // a topic, or the overview
		}
		text := helpText(cmd, widestHelp)
		if !strings.Contains(text, "\nExamples:\n  hcctl ") {
			t.Errorf("%s has no example:\n%s", cmd.CommandPath(), text)
		}
		for _, line := range strings.Split(text, "\n") {
			if n := len([]rune(line)); n > widestHelp && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s: a line of %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	})
}

// TestFlagsOfCreateClusterHaveGroups: each flag has one, and the ten that most people need come first.
func TestFlagsOfCreateClusterHaveGroups(t *testing.T) {
	cmd, _, err := tree().Find([]string{"create", "cluster"})
	if err != nil {
		t.Fatal(err)
	}
	known := []string{cmdutil.MostUsedGroup, cmdutil.WaitingGroup, cmdutil.OutputGroup}
	for _, group := range option.Groups() {
		known = append(known, string(group))
	}
	used := 0
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		group := cmdutil.GroupOf(f)
		if f.Name != "help" && !slices.Contains(known, group) {
			t.Errorf("--%s is in group %q", f.Name, group)
		}
		if group == cmdutil.MostUsedGroup {
			used++
		}
	})
	text := helpText(cmd, widestHelp)
	at := 0
	for _, group := range []string{"Most used", "Cluster", "Release", "Workers", "Storage", "Network", "Publishing",
		"Control plane", "Waiting", "Output"} {
		i := strings.Index(text, "\n"+group+":\n")
		if i < at {
			t.Errorf("%s is at %d, the one before at %d", group, i, at)
		}
		at = i
	}
	if used != 10 {
		t.Errorf("%d flags are most used", used)
	}
}

// TestHelpTakesTheNounThatACommandTakes: hcctl help stop cluster is hcctl help stop.
func TestHelpTakesTheNounThatACommandTakes(t *testing.T) {
	for _, words := range [][]string{{"stop", "cluster"}, {"start", "hc"}, {"pause", "clusters"}, {"resume", "cluster"},
		{"scale", "nodepool"}} {
		_, want, _ := run(t, "help", words[0])
		if code, got, errs := run(t, "help", words[0], words[1]); code != 0 || got != want {
			t.Errorf("help %v: exit %d, %s", words, code, errs)
		}
	}
	if code, _, errs := run(t, "help", "stop", "nodepool"); code != cmdutil.ExitUsage || errs == "" {
		t.Errorf("help of a kind that stop does not take: exit %d, %s", code, errs)
	}
}
