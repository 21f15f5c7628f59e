package cmdutil

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/printer"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// OutputFlag adds -o with these formats and their completion. Any other format is wrong usage.
func OutputFlag(cmd *cobra.Command, output *string, formats ...string) {
	DescribedOutputFlag(cmd, output, "output format: "+oneOf(formats), formats...)
}

// RunOutputFlag adds -o for a command that runs steps and can plan them. RunFormat and PlanFormat check the
// format for each.
func RunOutputFlag(cmd *cobra.Command, output *string) {
	DescribedOutputFlag(cmd, output, "output format: json, one event a line while it runs, or junit at its end; with "+
		"--dry-run json, yaml or html, the plan", "json", "yaml", FormatHTML, FormatJUnit)
}

// DescribedOutputFlag is OutputFlag with its own usage text.
func DescribedOutputFlag(cmd *cobra.Command, output *string, usage string, formats ...string) {
	cmd.Flags().VarP(&format{output, formats}, "output", "o", usage)
	Complete(cmd, "output", formats...)
}

// format is the value of -o: one of the formats, or empty.
type format struct {
	to      *string
	formats []string
}

// String implements pflag.Value.
func (f *format) String() string { return *f.to }

// Type implements pflag.Value.
func (*format) Type() string { return "string" }

// Set implements pflag.Value.
func (f *format) Set(value string) error {
	name, _, takes := strings.Cut(value, "=")
	if takes && !slices.Contains(printer.Formats(), name) {
		name = value
	}
	err := CheckFormat(name, f.formats...)
	if err == nil {
		*f.to = value
	}
	return err
}

// isFormat reports whether a flag is -o with the formats of its command.
func isFormat(f *pflag.Flag) bool {
	if f == nil {
		return false
	}
	_, is := f.Value.(*format)
	return is
}

// CheckFormat returns an error for a value that is neither empty nor one of the formats.
func CheckFormat(value string, formats ...string) error {
	if value == "" || slices.Contains(formats, value) {
		return nil
	}
	return fmt.Errorf("--output %q is not a format: it takes %s", value, strings.Join(formats, ", "))
}

// WriteJSON writes v as an indented JSON document.
func WriteJSON(w io.Writer, v any) error {
	enc := sanitize.NewJSONEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// WriteYAML writes v as a YAML document.
func WriteYAML(w io.Writer, v any) error {
	data, err := sanitize.YAML(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Table writes rows in columns, as kubectl does. It keeps the widths, so that later rows align with earlier
// ones, and removes control characters and line breaks from cells. On a terminal it folds a last column that is
// too wide.
type Table struct {
	W      io.Writer
	Widths []int
}

// columnGap is the number of spaces between columns.
const columnGap = 3

// minFoldedWidth is the smallest width, in characters, to which the last column is folded.
const minFoldedWidth = 24

// Write writes rows, and replaces their cells by the text that is shown.
func (t *Table) Write(rows ...[]string) error {
	for _, cells := range rows {
		for i := range cells {
			cells[i] = sanitize.Value(cells[i])
			c := cells[i]
			if i == len(t.Widths) {
				t.Widths = append(t.Widths, 0)
			}
			t.Widths[i] = max(t.Widths[i], utf8.RuneCountInString(c))
		}
	}
	screen := report.ScreenOf(t.W, func(string) string { return "" }).Width
	var b strings.Builder
	for _, cells := range rows {
		line, last := "", len(cells)-1
		for i, c := range cells[:max(last, 0)] {
			line += c + strings.Repeat(" ", t.Widths[i]-utf8.RuneCountInString(c)+columnGap)
		}
		begin := utf8.RuneCountInString(line)
		if last >= 0 && screen-begin >= minFoldedWidth {
			for i, part := range report.Wrap(cells[last], screen-begin) {
				b.WriteString(strings.TrimRight(line+part, " ") + "\n")
				if i == 0 {
					line = strings.Repeat(" ", begin)
				}
			}
			continue
		}
		b.WriteString(strings.TrimRight(line+strings.Join(cells[max(last, 0):], ""), " ") + "\n")
	}
	_, err := io.WriteString(t.W, b.String())
	return err
}

// HealthMark returns the mark of a health in tables.
func HealthMark(h status.Health) report.Mark { return StateMark(step.State(h)) }

// StateMark returns the mark of the state of a finding.
func StateMark(s step.State) report.Mark {
	switch s {
	case step.StateOK:
		return report.MarkGood
	case step.StateWarning:
		return report.MarkWarning
	case step.StatePending:
		return report.MarkUnderWay
	case step.StateFailing, step.StateBroken:
		return report.MarkBad
	case step.StateUnknown:
	}
	return report.MarkUnknown
}
