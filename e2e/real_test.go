package e2e

import (
	"os"
	"testing"
)

// TestReal runs the scripts of testdata/real against the vendor's own HyperShift.
func TestReal(t *testing.T) {
	s := settingsFor(t)
	if os.Getenv(vendorsOwn) == "" {
		t.Skip("make test-real runs it: it needs the programs that make sandbox-real builds")
	}
	run(t, s, "testdata/real")
}
