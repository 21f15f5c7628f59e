package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A sandbox that ends is noticed, and its log begins with the reason of a crash and ends with its exit code.
func TestEndedSandbox(t *testing.T) {
	for name, c := range map[string]struct{ script, first, last string }{
		"crash": {
			"echo before >&2; echo 'panic: a reason' >&2; for i in $(seq 100); do echo frame >&2; done; exit 2",
			"panic: a reason", "(the sandbox has ended: exit status 2)",
		},
		"killed":  {"echo before >&2; kill -9 $$", "before", "(the sandbox has ended: signal: killed)"},
		"error":   {"echo 'hcctl-sandbox start: why' >&2; exit 1", "hcctl-sandbox start: why", "(the sandbox has ended: exit status 1)"},
		"nothing": {"exit 0", "", "(the sandbox has ended: exit status 0)"},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(program, []byte("#!/bin/sh\necho ready: kubeconfig\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			p, err := Launch(t.Context(), program, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			<-p.Ended()
			lines := strings.Split(p.Log(), "\n")
			if lines[0] != c.first || lines[len(lines)-1] != c.last || len(lines) > maxLog+1 {
				t.Errorf("want %q at first and %q at last, at most %d lines: %q", c.first, c.last, maxLog+1, lines)
			}
		})
	}
}
