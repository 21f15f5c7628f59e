package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/connection"
)

// documentedCommand is a command line of hcctl in a document: an indented line, and what goes on after a backslash.
var documentedCommand = regexp.MustCompile(`(?m)^(?:    |\t)+(?:\$ )?hcctl ((?:[^\n\\]|\\\n|\\.)*)`)

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
	found := 0
	for _, page := range pages {
		if filepath.Base(page) == "commands.md" {
			continue // made from the commands themselves
		}
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range documentedCommand.FindAllStringSubmatch(string(data), -1) {
			line := shellEnd.ReplaceAllString(strings.ReplaceAll(m[1], "\\\n", " "), "")
			line = strings.NewReplacer(`"`, "'", "[", "", "]", "").Replace(line)
			found++
			if problem := unknownWord(words(line)); problem != "" {
				t.Errorf("%s: hcctl %s: %s", filepath.Base(page), line, problem)
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d command lines were found", found)
	}
}

// unknownWord says what of a command line hcctl does not know; values are not looked at.
func unknownWord(args []string) string {
	root := newRoot(&cmdutil.Factory{KubeFlags: new(connection.Flags), Getenv: func(string) string { return "" }})
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err.Error()
	}
	if cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return "no such command"
	}
	cmd.InheritedFlags()
	for _, arg := range rest {
		if arg == "--" {
			return ""
		}
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		var flag *pflag.Flag
		switch {
		case strings.HasPrefix(arg, "--"):
			flag = cmd.Flag(name)
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			if flag = cmd.Flags().ShorthandLookup(arg[1:2]); flag == nil {
				flag = root.PersistentFlags().ShorthandLookup(arg[1:2])
			}
		default:
			continue
		}
		if flag == nil && name != "help" && name != "h" {
			return "there is no flag " + arg
		}
	}
	return ""
}
