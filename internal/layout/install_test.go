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
// such a comment, or one that says why it is not run.
func runBlocks(t *testing.T, page string) []string {
	t.Helper()
	var lines []string
	run, told := false, false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "<!-- run -->":
			run, told = true, true
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
