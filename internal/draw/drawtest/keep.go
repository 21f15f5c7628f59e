// Package drawtest saves the pages of unit tests for make test-pages, which opens them in a browser.
package drawtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Keep writes a page to the directory in HCCTL_PAGES, if that is set.
func Keep(t *testing.T, name, page string) {
	t.Helper()
	dir := os.Getenv("HCCTL_PAGES")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
}
