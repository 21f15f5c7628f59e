package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// mostNeeded lists the commands that most users need, the most needed first. The overview describes these and
// only names the others, so that it fits a screen.
var mostNeeded = []string{"check", "bootstrap", "create", "apply", "get", "status", "kubeconfig", "exec", "scale",
	"update", "upgrade", "delete", "wait"}

// overview returns the help of hcctl itself, which fits a screen.
func overview(root *cobra.Command, width int) string {
	var b strings.Builder
	first, _, _ := strings.Cut(root.Long, "\n\n")
	fmt.Fprintf(&b, "%s\n", fill(first, width))
	column := nameColumn(root)
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "%s\n", group.Title)
		commands, also := inGroup(root, group.ID), []string(nil)
		slices.SortStableFunc(commands, func(x, y *cobra.Command) int {
			return slices.Index(mostNeeded, x.Name()) - slices.Index(mostNeeded, y.Name())
		})
		for _, sub := range commands {
			if slices.Contains(mostNeeded, sub.Name()) {
				b.WriteString(entry("  "+sub.Name(), clause(sub.Short, width-column), column, width))
			} else {
				also = append(also, sub.Name())
			}
		}
		b.WriteString(entry("  also", strings.Join(also, ", "), column, width))
	}
	rest := []string{}
	for _, sub := range inGroup(root, "") {
		rest = append(rest, sub.Name())
	}
	for _, line := range []string{
		"More: " + strings.Join(rest, ", ") + ". Help topics: exit-codes, environment, config.",
		"hcctl help COMMAND explains one, hcctl help --all lists all, hcctl options the global flags.",
	} {
		b.WriteString(fill(line, width) + "\n")
	}
	return b.String()
}

// allCommands lists each command and help topic with its short description.
func allCommands(root *cobra.Command, width int) string {
	var b strings.Builder
	list := func(title string, commands []*cobra.Command) {
		fmt.Fprintf(&b, "%s\n", title)
		for _, sub := range commands {
			b.WriteString(entry("  "+sub.Name(), sub.Short, nameColumn(root), width))
		}
	}
	for _, group := range root.Groups() {
		list(group.Title, inGroup(root, group.ID))
	}
	list("More:", inGroup(root, ""))
	var topics []*cobra.Command
	for _, sub := range root.Commands() {
		if sub.IsAdditionalHelpTopicCommand() {
			topics = append(topics, sub)
		}
	}
	list("Topics (hcctl help TOPIC):", topics)
	return b.String()
}

// inGroup returns the visible commands of a group, sorted by name.
func inGroup(root *cobra.Command, id string) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range root.Commands() {
		if sub.IsAvailableCommand() && sub.GroupID == id {
			out = append(out, sub)
		}
	}
	return out
}

// nameColumn returns the column where the text beside the names of commands begins.
func nameColumn(root *cobra.Command) int {
	column := 0
	for _, sub := range root.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			column = max(column, len(sub.Name())+4)
		}
	}
	return column
}

// clause returns as much of a text as fits, up to a comma; all of it if there is no comma.
func clause(text string, width int) string {
	for len([]rune(text)) > width {
		i := strings.LastIndex(text, ", ")
		if i < 0 {
			break
		}
		text = text[:i]
	}
	return text
}

// newOptions makes the command that prints the global flags.
func newOptions(a *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "options",
		Hidden:  true,
		Short:   "Print the flags that every command takes",
		Long:    "options prints the flags that every command takes: which API server, and as whom. They are kubectl's.",
		Example: "  hcctl options",
		Args:    cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Streams.Document([]byte(flagGroups(cmd.Root().PersistentFlags(), widestHelp)))
		},
	}
}
