package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/layout"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// shellEnd is where a command line ends for a shell, and a comment begins.
var shellEnd = regexp.MustCompile(`(?:\s#|\s?[|;&<>]|\s\|\|).*$`)

// TestDocumentedCommands finds command lines in documents that hcctl does not take: a command or a flag that is not
// there.
func TestDocumentedCommands(t *testing.T) {
	pages := []string{filepath.Join("..", "..", "README.md")}
	for _, directory := range []string{"docs", "docs/dev", "docs/checks", "examples", "examples/*"} {
		more, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(directory), "*.md"))
		if err != nil || len(more) == 0 {
			t.Fatalf("%s: %d pages, %v", directory, len(more), err)
		}
		pages = append(pages, more...)
	}
	root := newRoot(cmdutil.NewFactory(cmdutil.Streams{}, nil))
	found := 0
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range append(layout.CommandLines(string(data)), layout.InlineCommands(string(data))...) {
			line, own := strings.CutPrefix(line, "hcctl ")
			if !own {
				continue
			}
			line = shellEnd.ReplaceAllString(line, "")
			line = strings.NewReplacer(`"`, "'", "[", "", "]", "").Replace(line)
			found++
			if problem := unknownWord(root, words(line)); problem != "" {
				t.Errorf("%s: hcctl %s: %s", filepath.Base(page), line, problem)
			}
		}
	}
	if found < 700 {
		t.Errorf("only %d command lines were found", found)
	}
}

// notInTheTree are the first words of command lines that are not looked up: cobra adds these commands when hcctl runs,
// and documents write placeholders.
var notInTheTree = []string{"help", "completion", "__complete", "COMMAND", "..."}

// refusedOnPurpose are flags that a page names because the command refuses them.
var refusedOnPurpose = []string{"update cluster NAME --pull-secret FILE"}

// unknownWord says what of a command line hcctl does not know; values are not looked at.
func unknownWord(root *cobra.Command, args []string) string {
	if len(args) == 0 || slices.Contains(notInTheTree, args[0]) || slices.Contains(refusedOnPurpose, strings.Join(args, " ")) {
		return ""
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err.Error()
	}
	if cmd == root && !strings.HasPrefix(args[0], "-") {
		return "no such command"
	}
	if cmd != root && cmd.HasSubCommands() {
		return "" // a sentence about all commands of a group
	}
	var names []string
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" || arg == "..." {
			return ""
		}
		name, _, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		var flag *pflag.Flag
		switch {
		case arg == "--help":
			return ""
		case strings.HasPrefix(arg, "--"):
			flag = cmd.Flag(name)
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			given = len(arg) > 2
			if flag = cmd.Flags().ShorthandLookup(arg[1:2]); flag == nil {
				flag = cmd.InheritedFlags().ShorthandLookup(arg[1:2])
			}
		default:
			names = append(names, arg)
			continue
		}
		if flag == nil {
			return "there is no flag " + arg
		}
		if !given && flag.NoOptDefVal == "" {
			i++ // its value
		}
	}
	return tooManyNames(cmd, names, rest)
}

// tooManyNames says what is wrong with arguments that are not flags. A missing one is not looked for: a sentence
// may name a command alone.
func tooManyNames(cmd *cobra.Command, names, line []string) string {
	probes := slices.ContainsFunc(line, func(arg string) bool { return strings.HasPrefix(arg, "--probe") })
	switch {
	case len(names) == 0:
		return ""
	case cmd.Name() == "check" && !probes:
		return "check takes a hosted cluster only with --probe; a check or group is --only"
	case !strings.Contains(strings.TrimSuffix(cmd.Use, "[flags]"), " "):
		return "it takes no argument, such as " + names[0]
	}
	return ""
}
