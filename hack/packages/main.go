// Command packages writes the table of packages into docs/architecture.md. Call it in the root of the repository.
package main

import (
	"fmt"
	"os"

	"github.com/hcctl/hcctl/internal/layout"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

func write() error {
	rows, err := layout.Rows(os.DirFS("."))
	if err != nil {
		return err
	}
	document, err := os.ReadFile(layout.Page)
	if err != nil {
		return err
	}
	changed, err := layout.Replace(string(document), layout.Table(rows))
	if err != nil {
		return fmt.Errorf("%s: %w", layout.Page, err)
	}
	return os.WriteFile(layout.Page, []byte(changed), 0o644) //nolint:gosec // a document is for everybody
}
