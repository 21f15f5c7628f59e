package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/connection"
)

// documentedCommand is a command line of hcctl in a document: an indented line, and what goes on after a backslash.
var documentedCommand = regexp.MustCompile(`(?m)^(?:    |\t)+(?:\$ )?hcctl ((?:[^\n\\]|\\\n|\\.)*)`)

// inlineCommand is a command of hcctl within a sentence.
var inlineCommand = regexp.MustCompile("`hcctl ([^`]+)`")

// shellEnd is where a command line ends for a shell, and a comment begins.
var shellEnd = regexp.MustCompile(`(?:\s#|\s?[|;&<>]|\s\|\|).*$`)

// TestDocumentedCommands finds command lines in documents that hcctl does not take: a command or a flag that is not
// there.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, filepath.Join("..", "..", "README.md"))
	root := newRoot(&cmdutil.Factory{KubeFlags: new(connection.Flags), Getenv: func(string) string { return "" }})
	found := 0
	for _, page := range pages {
		if filepath.Base(page) == "commands.md" {
			continue // made from the commands themselves
		}
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all := documentedCommand.FindAllStringSubmatch(string(data), -1)
		for _, m := range append(all, inlineCommand.FindAllStringSubmatch(string(data), -1)...) {
			line := shellEnd.ReplaceAllString(strings.ReplaceAll(m[1], "\\\n", " "), "")
			line = strings.NewReplacer(`"`, "'", "[", "", "]", "").Replace(line)
			found++
			if problem := unknownWord(root, words(line)); problem != "" {
				t.Errorf("%s: hcctl %s: %s", filepath.Base(page), line, problem)
			}
		}
	}
	if found < 400 {
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
	for _, arg := range rest {
		if arg == "--" {
			return ""
		}
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		known := true
		switch {
		case strings.HasPrefix(arg, "--"):
			known = cmd.Flag(name) != nil || name == "help"
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			known = cmd.Flags().ShorthandLookup(arg[1:2]) != nil || cmd.InheritedFlags().ShorthandLookup(arg[1:2]) != nil
		}
		if !known {
			return "there is no flag " + arg
		}
	}
	return ""
}
