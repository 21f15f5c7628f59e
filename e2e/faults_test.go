package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const faultScripts = "testdata/faults"

// TestFaults runs the scripts of testdata/faults, one for each thing a sandbox can have wrong on purpose.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: nothing is broken on purpose on a real cluster")
	}
	run(t, s, faultScripts)
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
	names := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, " ") || strings.ToUpper(fields[0]) == fields[0] {
			continue
		}
		names++
		if _, err := os.Stat(filepath.Join(faultScripts, fields[0]+".txtar")); err != nil {
			t.Error(err)
		}
	}
	if names < 24 {
		t.Errorf("the sandbox lists %d faults, want at least 24:\n%s", names, out)
	}
}
