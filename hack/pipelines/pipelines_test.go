// Package pipelines_test runs examples/ci by the engines that they are for, or, where an engine needs a cluster or a
// service, by its own schema. hcctl itself is a stand-in here: e2e/testdata/hostile/pipelines.txtar runs it.
package pipelines_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const examples = "../../examples/ci"

// plans are the exit codes of hcctl apply --dry-run, and what a pipeline makes of them.
var plans = []struct {
	name, code string
	// changes is the result, empty if the pipeline fails.
	changes string
}{
	{"nothing to do", "0", "false"},
	{"something to do", "6", "true"},
	{"a cluster that is not ready", "3", ""},
	{"wrong input", "2", ""},
}

// place is a directory in which an engine works, with a stand-in for hcctl in the path.
type place struct {
	t   *testing.T
	dir string
	env []string
}

// newPlace makes a place whose hcctl notes its arguments and its kubeconfig, says a line, and ends with the code. An
// apply that is no dry run succeeds.
func newPlace(t *testing.T, code string, env ...string) place {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	p := place{t: t, dir: dir}
	notes := filepath.Join(bin, "notes")
	stand := "#!/bin/sh\nprintf '%s|' \"$@\" \"$KUBECONFIG\" >> " + notes + "\necho >> " + notes +
		"\necho 'create HostedCluster clusters/kv-00'\ncase \"$*\" in *--dry-run*) exit " + code + ";; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "hcctl"), []byte(stand), 0o755); err != nil {
		t.Fatal(err)
	}
	p.env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8",
		"KUBECONFIG=/secret/place", "NOTES=" + notes}, env...)
	return p
}

// write writes a file of the place.
func (p place) write(name, text string) {
	p.t.Helper()
	name = filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// repository makes a git repository of the place, as engines expect it.
func (p place) repository() {
	p.t.Helper()
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"},
		{"-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "all"},
		{"remote", "add", "origin", "https://git.example.com/team/fleet.git"}} {
		if code, out := p.run("git", args...); code != 0 {
			p.t.Fatalf("git %v: %s", args, out)
		}
	}
}

// run runs a program and returns its exit code and what it says.
func (p place) run(program string, args ...string) (code int, said string) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), program, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatalf("%s: %v", program, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// calls are the arguments of each call of hcctl, and its kubeconfig.
func (p place) calls() []string {
	p.t.Helper()
	for _, variable := range p.env {
		if name, ok := strings.CutPrefix(variable, "NOTES="); ok {
			return strings.Fields(strings.ReplaceAll(read(p.t, name), " ", "_"))
		}
	}
	return nil
}

// read is a file's content, empty if there is none.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func example(t *testing.T, name string) string {
	t.Helper()
	text := read(t, filepath.Join(examples, name))
	if text == "" {
		t.Fatalf("examples/ci has no %s", name)
	}
	return text
}

// tool is a program that make test-pipelines has built or installed below bin.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: make test-pipelines brings it", err)
	}
	return path
}

func needs(t *testing.T, program, of string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("%s is needed: apt-get install %s", program, of)
	}
}
