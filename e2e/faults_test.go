package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

const faultScripts = "testdata/faults"

// TestFaults runs the scripts of testdata/faults, one for each thing a sandbox can have wrong on purpose, that have
// sandboxes of their own; TestShared runs the others.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: nothing is broken on purpose on a real cluster")
	}
	own, _ := scriptsOf(t, faultScripts)
	testscript.Run(t, params(s, own))
}

func TestEveryFaultHasAScript(t *testing.T) {
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: no sandbox is asked for its faults")
	}
	out, err := exec.CommandContext(t.Context(), s.sandboxProgram, "faults").Output()
	if err != nil {
		t.Fatal(err)
	}
	var others string
	for _, pattern := range []string{"testdata/sandbox/*.txtar", "../sandbox/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			others += string(text)
		}
	}
	names := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, " ") || strings.ToUpper(fields[0]) == fields[0] {
			continue
		}
		names++
		// What is wrong with a management cluster has a script of its own; what goes wrong with hosted clusters is
		// part of theirs, or of the sandbox's own tests.
		if _, err := os.Stat(filepath.Join(faultScripts, fields[0]+".txtar")); err != nil &&
			!strings.Contains(others, fields[0]) {
			t.Errorf("fault %s: no script and no test of the sandbox has it", fields[0])
		}
	}
	if names < 24 {
		t.Errorf("the sandbox lists %d faults, want at least 24:\n%s", names, out)
	}
}
