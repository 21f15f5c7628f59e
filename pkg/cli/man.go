package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// newMan makes the command that writes the manual pages. It is hidden, because only packagers call it (make
// man).
func newMan(a *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Hidden: true,
		Short:  "Write hcctl's manual pages into a directory",
		Long: "man writes a manual page of section 1 for each command and help topic into a directory, which is created " +
			"if it does not exist.",
		Example: "  hcctl man /usr/local/share/man/man1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cmdutil.Misuse(cmd, errors.New("which directory? hcctl man DIR"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // manual pages are for all
				return err
			}
			root, err := os.OpenRoot(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = root.Close() }()
			n, err := writePages(root, cmd.Root())
			if err != nil {
				return err
			}
			err = cmdutil.Say(a.Streams.Err, "%s in %s\n", plural.Count(n, "manual page"), args[0])
			return err
		},
	}
}

// writePages writes the pages of cmd and its subcommands, and returns their number.
func writePages(dir *os.Root, cmd *cobra.Command) (int, error) {
	name := pageName(cmd) + ".1"
	// Remove an existing file and do not write to it: it may be a link.
	if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if err := writePage(dir, name, manPage(cmd)); err != nil {
		return 0, err
	}
	n := 1
	for _, sub := range shown(cmd) {
		more, err := writePages(dir, sub)
		if n += more; err != nil {
			return n, err
		}
	}
	return n, nil
}

func writePage(dir *os.Root, name, text string) error {
	f, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmdutil.OwnPath(cmd), " ", "-") }

// shown returns the subcommands and help topics of cmd that are not hidden.
func shown(cmd *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			out = append(out, sub)
		}
	}
	return out
}

// manPage returns the page of one command in roff, with the macros of man(7).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := pageName(cmd)
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"hcctl\"\n.nh\n.ad l\n", strings.ToUpper(name), "hcctl "+cmdutil.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	if cmd.Runnable() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	}
	if cmd.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + roffText(cmd.Long))
	}
	if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
		b.WriteString(".SH OPTIONS\n" + roffFlags(flags))
	}
	if !cmd.HasParent() {
		b.WriteString(".SH OPTIONS OF EVERY COMMAND\n" + roffFlags(cmd.PersistentFlags()))
	}
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roffLines(strings.ReplaceAll("\n"+cmd.Example, "\n  ", "\n")[1:]) + ".fi\n")
	}
	b.WriteString(".SH SEE ALSO\n")
	var also []string
	if cmd.HasParent() {
		also = append(also, `\fB`+roff(pageName(cmd.Parent()))+`\fR(1)`)
	}
	for _, sub := range shown(cmd) {
		also = append(also, `\fB`+roff(pageName(sub))+`\fR(1)`)
	}
	b.WriteString(strings.Join(also, ", ") + "\n")
	return b.String()
}

func roffFlags(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(&b, `\fB\-%s\fR, `, roff(f.Shorthand))
		}
		kind, usage := valueName(f.Value.Type()), strings.ReplaceAll(f.Usage, "`", "")
		fmt.Fprintf(&b, `\fB\-\-%s\fR`, roff(f.Name))
		if kind != "" {
			fmt.Fprintf(&b, ` \fI%s\fR`, roff(kind))
		}
		b.WriteString("\n" + line(roff(usage)))
		switch f.DefValue {
		case "", "[]", "false", "0", "0s":
		default:
			fmt.Fprintf(&b, " (default %s)", roff(f.DefValue))
		}
		b.WriteString("\n")
	})
	return b.String()
}

// roffText formats paragraphs. It keeps the lines of paragraphs that are indented by two spaces.
func roffText(text string) string {
	var b strings.Builder
	for _, part := range strings.Split(text, "\n\n") {
		b.WriteString(".PP\n")
		if strings.HasPrefix(part, "  ") {
			b.WriteString(".nf\n" + roffLines(part) + ".fi\n")
			continue
		}
		b.WriteString(roffLines(part))
	}
	return b.String()
}

func roffLines(text string) string {
	var b strings.Builder
	for _, l := range strings.Split(text, "\n") {
		b.WriteString(line(roff(l)) + "\n")
	}
	return b.String()
}

// roff escapes the special characters of roff.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
}

// line escapes a leading dot, which would begin a roff request.
func line(s string) string {
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}
