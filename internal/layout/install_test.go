package layout_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runBlocks are the command lines of docs/install.md below a comment that says they are run. Each block of commands has
// such a comment, or one that says why it is not run, or which test of hack/release stands for it.
func runBlocks(t *testing.T, page string) []string {
	t.Helper()
	var lines []string
	run, told := false, false
	release := releaseTests(t)
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "<!-- run -->":
			run, told = true, true
		case line == "<!-- run in hack/release -->":
			run, told = false, true
		case strings.HasPrefix(line, "<!-- tested in hack/release: "):
			test := strings.TrimSuffix(strings.TrimPrefix(line, "<!-- tested in hack/release: "), " -->")
			if !strings.Contains(release, "\nfunc "+test+"(") {
				t.Errorf("docs/install.md: hack/release has no test %s", test)
			}
			run, told = false, true
		case strings.HasPrefix(line, "<!-- not run: "):
			run, told = false, true
		case strings.HasPrefix(line, "    "):
			if !told {
				t.Errorf("docs/install.md: %q: say before it whether a test runs it", line)
			}
			if run {
				lines = append(lines, strings.TrimSpace(line))
			}
		case line != "":
			told = false
		}
	}
	return lines
}

// releaseTests is the text of the tests of releases, which are a module of their own.
func releaseTests(t *testing.T) string {
	t.Helper()
	names, err := fs.Glob(repository, "hack/release/*_test.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	var b strings.Builder
	for _, name := range names {
		b.WriteString(content(t, name))
	}
	return b.String()
}

// TestInstallPage runs the commands of docs/install.md, as they stand there, in a copy of what they need of the
// repository.
func TestInstallPage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds hcctl; go test without -short runs it")
	}
	dir := t.TempDir()
	for _, name := range []string{"cmd", "pkg", "internal", "docs"} {
		from, err := fs.Sub(repository, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(dir, name), from); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Makefile", "go.mod", "go.sum"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content(t, name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := runBlocks(t, content(t, "docs/install.md"))
	if len(lines) < 7 {
		t.Fatalf("only %d lines: %q", len(lines), lines)
	}
	for _, line := range lines {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	for _, made := range []string{"hcctl", "hcctl.bash", "_hcctl", "hcctl.fish", "man/hcctl-create-cluster.1"} {
		if info, err := os.Stat(filepath.Join(dir, "bin", made)); err != nil || info.Size() == 0 {
			t.Errorf("bin/%s was not made: %v", made, err)
		}
	}
}
