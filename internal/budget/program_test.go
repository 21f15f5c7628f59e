package budget_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/internal/budget"
	// These tests run go build and go list, of which Go's cache of test results knows nothing: with the import it does.
	_ "github.com/hcctl/hcctl/pkg/cli"
)

// linked lists what go list says of hcctl and all it imports, each once.
func linked(t *testing.T, format string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", format, "github.com/hcctl/hcctl/cmd/hcctl").
		Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(out))
	slices.Sort(lines)
	return slices.Compact(lines)
}

func TestLinked(t *testing.T) {
	// Packages of our own cost nothing by themselves: what they hold is in the size.
	packages := linked(t, "{{with .Module}}{{if not .Main}}{{$.ImportPath}}{{end}}{{end}}")
	hold(t, budget.Figure{Kind: "program", Name: "packages", Now: float64(len(packages)), Slack: 0.03,
		Look: "go list -deps ./cmd/hcctl; go mod why -m MODULE"})
	modules := linked(t, "{{with .Module}}{{.Path}}{{end}}")
	hold(t, budget.Figure{Kind: "program", Name: "modules", Now: float64(len(modules)), Slack: 0.03,
		Look: "go list -deps -f '{{with .Module}}{{.Path}}{{end}}' ./cmd/hcctl | sort -u"})
	b, err := budget.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Forbidden) == 0 {
		t.Fatal("nothing is forbidden")
	}
	for _, p := range linked(t, "{{.ImportPath}}") {
		for forbidden, why := range b.Forbidden {
			if p == forbidden || strings.HasPrefix(p, forbidden+"/") {
				t.Errorf("hcctl links %s: %s", p, why)
			}
		}
	}
}

// built is the path of hcctl, and why there is none.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(directory, "hcctl")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "github.com/hcctl/hcctl/cmd/hcctl")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// program builds hcctl once for all tests.
func program(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// directory is for what tests share.
var directory string

func TestMain(m *testing.M) {
	var err error
	if directory, err = os.MkdirTemp("", "hcctl-budget-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(directory)
	os.Exit(code)
}

// TestSize is about the program of make build, which has no symbols.
func TestSize(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the budget is that of amd64")
	}
	info, err := os.Stat(program(t))
	if err != nil {
		t.Fatal(err)
	}
	hold(t, budget.Figure{Kind: "program", Name: "megabytes", Now: float64(info.Size()) / 1e6, Slack: 0.04,
		Look: "go tool nm -size -sort size on a build without -ldflags"})
}

// TestInitialization is about what hcctl's own packages allocate before main, with every command. Regular expressions
// are those of internal/lazyregexp: one with a large count, such as {0,253}, takes half a megabyte.
func TestInitialization(t *testing.T) {
	start := exec.CommandContext(t.Context(), program(t), "version")
	start.Env = []string{"GODEBUG=inittrace=1"}
	var trace strings.Builder
	start.Stderr = &trace
	if err := start.Run(); err != nil {
		t.Fatal(err)
	}
	var bytes float64
	for line := range strings.Lines(trace.String()) {
		// init PACKAGE @0.008 ms, 0.25 ms clock, 160 bytes, 2 allocs
		f := strings.Fields(line)
		if len(f) != 11 || f[0] != "init" || !strings.HasPrefix(f[1], "github.com/hcctl/hcctl/") {
			continue
		}
		n, err := strconv.ParseFloat(f[7], 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		bytes += n
	}
	hold(t, budget.Figure{Kind: "program", Name: "initialization, kilobytes", Now: bytes / 1e3, Slack: 0.2,
		Look: "GODEBUG=inittrace=1 hcctl version"})
}
