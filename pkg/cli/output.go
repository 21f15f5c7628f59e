package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/printable"
)

// outputFlag binds -o with the formats it takes, which the shell completes.
func outputFlag(cmd *cobra.Command, output *string, formats ...string) {
	last := len(formats) - 1
	cmd.Flags().StringVarP(output, "output", "o", "", "output format: "+strings.Join(formats[:last], ", ")+" or "+formats[last])
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

func badOutput(got string, allowed ...string) error {
	return fmt.Errorf("--output %q is not a format: it takes %s", got, strings.Join(allowed, ", "))
}

// oneOf refuses values that are not allowed.
func oneOf(value string, allowed ...string) error {
	for _, v := range allowed {
		if value == v {
			return nil
		}
	}
	return badOutput(value, allowed[1:]...)
}

func writeJSON(w io.Writer, v any) error {
	enc := printable.NewJSONEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func writeYAML(w io.Writer, v any) error {
	data, err := printable.YAML(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// table writes rows in columns, as kubectl does. It remembers how wide they are, so that rows that come later stand under those written before; a column
// grows where a value is longer. What cells have of line breaks and control characters does not get to a terminal.
type table struct {
	w      io.Writer
	widths []int
}

// columnGap is the space between columns.
const columnGap = 3

// write writes rows, whose cells it changes to what is shown of them.
func (t *table) write(rows ...[]string) error {
	for _, cells := range rows {
		for i := range cells {
			cells[i] = printable.Value(cells[i])
			c := cells[i]
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, cells := range rows {
		var line strings.Builder
		for i, c := range cells {
			line.WriteString(c + strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(c)+columnGap))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}
