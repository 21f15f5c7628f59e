package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// reference returns the page commands of hcctl docs and of the web site: the help of every command, as Markdown.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nWhat `hcctl help COMMAND` says of each command.\n")
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", cmd.CommandPath(), strings.TrimSuffix(cmd.Short, "."))
		if cmd.Runnable() && cmd.HasParent() && !cmd.HasSubCommands() {
			fmt.Fprintf(&b, "\n    %s\n", cmd.UseLine())
		}
		if cmd.Long != "" {
			fmt.Fprintf(&b, "\n%s\n", prose(cmd.Long))
		}
		if cmd.Example != "" {
			fmt.Fprintf(&b, "\nExamples:\n\n%s\n", indented(strings.TrimPrefix(cmd.Example, "  "), "  "))
		}
		if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s\n", indented(strings.Trim(flagGroups(flags, widestHelp), "\n"), ""))
		}
		for _, sub := range shown(cmd) {
			if sub.Name() != "completion" { // docs/install.md has the content of cobra's own text
				visit(sub)
			}
		}
	}
	visit(root)
	fmt.Fprintf(&b, "\n## Flags of every command\n\n%s\n",
		indented(strings.Trim(flagGroups(root.PersistentFlags(), widestHelp), "\n"), ""))
	return b.String()
}

// prose returns a long text as Markdown. Lines that are indented by two spaces become a code block.
func prose(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// indented makes a code block of Markdown from lines that begin with cut.
func indented(text, cut string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("    "+strings.TrimPrefix(line, cut), " ")
	}
	return strings.Join(lines, "\n")
}
