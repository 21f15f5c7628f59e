package sandbox

import (
	"context"
	"os"
	"testing"
)

// GCPercent is the value of --gc-percent in tests: more memory for less CPU time.
const GCPercent = "400"

// NoOpenAPI is a flag for tests: hcctl reads no OpenAPI documents, and they take a seventh of the start.
const NoOpenAPI = "--openapi=false"

// Need returns the sandbox program for a test. It skips the test under go test -short and fails it if the program is
// missing; every test with a sandbox calls it.
func Need(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a sandbox: make test runs it")
	}
	program, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// Start starts a sandbox that saves CPU time, with these further flags, and stops it when the test ends. Like Need, it
// skips the test under go test -short.
func Start(t testing.TB, flags ...string) *Process {
	t.Helper()
	program := Need(t)
	ctx, cancel := context.WithTimeout(t.Context(), StartTime)
	defer cancel()
	flags = append([]string{"--gc-percent", GCPercent, NoOpenAPI}, flags...)
	p, err := Launch(ctx, program, t.TempDir(), flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cleanUp(t) })
	return p
}

// cleanUp stops the sandbox of a test, logs its CPU time, and logs its output if the test failed. A sandbox that ended
// earlier fails the test.
func (p *Process) cleanUp(t testing.TB) {
	select {
	case <-p.ended:
		t.Error("the sandbox has ended before the test")
	default:
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	t.Logf("the sandbox took %.1fs of processor time", p.CPUTime().Seconds())
	if t.Failed() {
		t.Logf("the sandbox wrote:\n%s", p.Log())
	}
}

// OnlyInAll skips the test unless make test-all runs it; why is the reason why it is not in make test.
func OnlyInAll(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("HCCTL_E2E_ALL") == "" {
		t.Skipf("left to make test-all (HCCTL_E2E_ALL): %s", why)
	}
}
