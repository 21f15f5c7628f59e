// Package drawtest hands the pages of unit tests to make test-pages, which opens them in a browser.
package drawtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Keep writes a page into the directory that HCCTL_PAGES names, if it is set.
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
