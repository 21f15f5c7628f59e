package release_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// fixed are commands whose output depends on nothing but hcctl.
var fixed = [][]string{
	{"--help"}, {"help", "--all"}, {"docs", "install"}, {"completion", "bash"}, {"explain", "cluster/nodes"},
	{"create", "cluster", "--name=kv-00", "--infra-id=kv-00-fixed", "--node-pool-replicas=3", "--render",
		"--release-image=quay.io/openshift-release-dev/ocp-release:4.20.3-multi"},
}

// programOf unpacks the program of an archive.
func programOf(t *testing.T, goos, goarch string) string {
	t.Helper()
	name := "hcctl"
	if goos == "windows" {
		name += ".exe"
	}
	program := filepath.Join(t.TempDir(), name)
	text := readArchive(t, archiveFor(t, "hcctl", goos, goarch).Path)[name].text
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

// TestProcessors has hcctl of every processor write what this machine's own writes, byte for byte. On s390x numbers lie
// in memory the other way round.
func TestProcessors(t *testing.T) {
	own := programOf(t, runtime.GOOS, runtime.GOARCH)
	for _, goarch := range processors(t) {
		if goarch == runtime.GOARCH {
			continue
		}
		t.Run(goarch, func(t *testing.T) {
			program := programOf(t, "linux", goarch)
			for _, args := range fixed {
				want := command(t, own, args...)
				if got := run(t, goarch, program, args...); got != want || got == "" {
					t.Errorf("hcctl %v writes %d bytes, and here %d: %.2000s", args, len(got), len(want), got)
				}
			}
		})
	}
}
