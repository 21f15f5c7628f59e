package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// Limits of the help in columns. Its width is that of the terminal within these bounds, or widestHelp without a
// terminal.
const (
	widestHelp   = 100
	narrowHelp   = 60
	widestFlag   = 34
	flagsHeading = "Flags"
)

// setHelp replaces cobra's help: flags are in groups, lines fit the screen, and only hcctl options lists the
// global flags.
func setHelp(a *cmdutil.Factory, root *cobra.Command) {
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(cmd.OutOrStdout(), cmdutil.AsCalled(a.Call, cmd, usage(cmd, helpWidth(a))))
		return err
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		// The writer stores the error.
		_, _ = io.WriteString(cmd.OutOrStdout(), cmdutil.AsCalled(a.Call, cmd, helpText(cmd, helpWidth(a))))
	})
}

// helpWidth returns the width of help, in columns.
func helpWidth(a *cmdutil.Factory) int {
	screen := a.Streams.ScreenOut()
	if screen.Width <= 0 {
		return widestHelp
	}
	return min(widestHelp, max(narrowHelp, screen.Width))
}

// helpText returns what --help prints.
func helpText(cmd *cobra.Command, width int) string {
	if !cmd.HasParent() {
		return overview(cmd, width)
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	if !cmd.Runnable() && !cmd.HasSubCommands() {
		return fill(text, width) + "\n"
	}
	return fill(text, width) + "\n\n" + usage(cmd, width)
}

// usage returns how to call a command: its syntax, examples, subcommands and flags.
func usage(cmd *cobra.Command, width int) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", cmd.CommandPath())
	} else {
		form := strings.ReplaceAll(fill(cmd.UseLine(), width-6), "\n", "\n      ")
		fmt.Fprintf(&b, "  %s\n", form)
	}
	if example := exampleOf(cmd); example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				b.WriteString(entry("  "+sub.Name(), sub.Short, 14, width))
			}
		}
	}
	b.WriteString(flagGroups(cmd.LocalNonPersistentFlags(), width))
	b.WriteString("\nhcctl options lists the flags that every command takes.\n")
	return b.String()
}

// exampleOf returns the examples of a command. For a command with subcommands these are the first ones of each.
func exampleOf(cmd *cobra.Command) string {
	if cmd.HasExample() || !cmd.HasAvailableSubCommands() {
		return cmd.Example
	}
	var lines []string
	for _, sub := range cmd.Commands() {
		if first, _, _ := strings.Cut(sub.Example, "\n"); sub.IsAvailableCommand() && first != "" {
			lines = append(lines, first)
		}
	}
	return strings.Join(lines, "\n")
}

// flagGroups returns flags under the headings of their groups, the most used first.
func flagGroups(flags *pflag.FlagSet, width int) string {
	in := map[string][]*pflag.Flag{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		group := cmdutil.GroupOf(f)
		if group == "" {
			group = flagsHeading
		}
		in[group] = append(in[group], f)
	})
	headings := []string{cmdutil.MostUsedGroup}
	for _, group := range option.Groups() {
		headings = append(headings, string(group))
	}
	headings = append(headings, cmdutil.WaitingGroup, cmdutil.OutputGroup, flagsHeading)
	var b strings.Builder
	for _, heading := range headings {
		if len(in[heading]) == 0 {
			continue
		}
		if heading == flagsHeading && len(in) > 1 {
			heading = "Other"
		}
		fmt.Fprintf(&b, "\n%s:\n", heading)
		if heading == "Other" {
			heading = flagsHeading
		}
		b.WriteString(flagList(in[heading], width))
	}
	return b.String()
}

// flagList returns one or more lines for each flag.
func flagList(flags []*pflag.Flag, width int) string {
	var b strings.Builder
	names, column := make([]string, len(flags)), 0
	for i, f := range flags {
		names[i] = flagName(f)
		if len(names[i]) <= widestFlag {
			column = max(column, len(names[i])+2)
		}
	}
	for i, f := range flags {
		b.WriteString(entry(names[i], flagText(f), max(column, 12), width))
	}
	return b.String()
}

// flagName returns a flag with its short form and the kind of its value.
func flagName(f *pflag.Flag) string {
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	value := valueName(f.Value.Type())
	switch {
	case value == "":
		return name
	case f.NoOptDefVal != "":
		return name + "[=" + value + "]"
	}
	return name + " " + value
}

// valueName returns the kind of a flag's value for help, or "" for a switch.
func valueName(kind string) string {
	switch kind {
	case "bool", "count":
		return ""
	case "int", "int32", "int64":
		return "NUMBER"
	case "duration", "age":
		return "TIME"
	case "stringSlice":
		return "LIST"
	case "stringToString", "key=value":
		return "KEY=VALUE"
	case "file":
		return "FILE"
	}
	return "VALUE"
}

// flagText returns the usage text of a flag, with its default.
func flagText(f *pflag.Flag) string {
	text := strings.ReplaceAll(f.Usage, "`", "")
	if slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		return text
	}
	return text + " (default " + f.DefValue + ")"
}

// entry returns a name with its text beside it, wrapped in its column. A long name has its own line.
func entry(name, text string, column, width int) string {
	var b strings.Builder
	lines := strings.Split(fill(text, width-column), "\n")
	if len(name)+2 > column {
		b.WriteString(name + "\n")
		name = ""
	}
	for _, line := range lines {
		fmt.Fprintf(&b, "%-*s%s\n", column, name, line)
		name = ""
	}
	return b.String()
}
