package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test that only notes whether it failed.
type recorder struct {
	testing.TB

	failed bool
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestSection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("before\n<!-- b -->\nold\n<!-- e -->\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	section := func(want string) (failed bool) {
		r := &recorder{TB: t}
		Section(r, path, "<!-- b -->\n", "<!-- e -->\n", want)
		return r.failed
	}
	t.Setenv(variable, "")
	if !section("new\n") || section("old\n") {
		t.Error("a section that differs must fail, and one that does not must pass")
	}
	t.Setenv(variable, "1")
	if section("new\n") {
		t.Error("updating must not fail")
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(have); got != "before\n<!-- b -->\nnew\n<!-- e -->\nafter\n" {
		t.Errorf("the page is now %q", got)
	}
	t.Setenv(variable, "")
	if section("new\n") || !section("old\n") {
		t.Error("what was written must be what is compared with")
	}
}

func TestFileIsMade(t *testing.T) {
	t.Setenv(variable, "1")
	path := filepath.Join(t.TempDir(), "new", "file.txt")
	File(t, path, "content")
	if have, err := os.ReadFile(path); err != nil || !strings.Contains(string(have), "content") {
		t.Errorf("%q, %v", have, err)
	}
}
