// Package golden compares generated files with the code that generates them. `make update` writes them; see
// docs/dev/testing.md.
package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// variable is the environment variable that makes tests write files instead of comparing them.
const variable = "UPDATE"

// Updating reports whether tests write their files instead of comparing them.
func Updating() bool { return os.Getenv(variable) != "" }

// File fails the test unless the file has this content. With UPDATE it writes the file.
func File(t testing.TB, path, want string) {
	t.Helper()
	if Updating() {
		write(t, path, want)
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: make update writes it", err)
	}
	if diff := cmp.Diff(string(have), want); diff != "" {
		t.Errorf(
			"%s is not what the code makes (-file +code). If the change is meant, make update writes it:\n%s", path,
			diff,
		)
	}
}

// Section fails the test unless the part of a file between two marks has this content. With UPDATE it writes that part.
func Section(t testing.TB, path, begin, end, want string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no part between %q and %q", path, begin, end)
	}
	File(t, path, before+begin+want+end+after)
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if have, err := os.ReadFile(path); err == nil && string(have) == content {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
