package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

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
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// writeTable writes rows under headings in columns, as kubectl does.
func writeTable(w io.Writer, headings []string, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	for _, cells := range append([][]string{headings}, rows...) {
		if _, err := fmt.Fprintln(t, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return t.Flush()
}
