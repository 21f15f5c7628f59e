package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// entry is a vulnerability of a function of Go's own library; it is invented.
const entry = `{"schema_version":"1.3.1","id":"GO-2000-0001","modified":"2000-01-02T03:04:05Z","published":"2000-01-02T03:04:05Z","summary":"invented for a test",
"affected":[{"package":{"name":"stdlib","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],
"ecosystem_specific":{"imports":[{"path":"container/ring","symbols":["New"]}]}}],
"database_specific":{"url":"https://pkg.go.dev/vuln/GO-2000-0001"}}`

func program(t *testing.T, pkg string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	if text, err := exec.Command("go", "build", "-o", out, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, text)
	}
	return out
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestVulnerabilityIsFound runs all of it on a module that calls a flawed function, and on one that only imports its
// package.
func TestVulnerabilityIsFound(t *testing.T) {
	vuln, govulncheck := program(t, "."), program(t, "golang.org/x/vuln/cmd/govulncheck")
	db := t.TempDir()
	write(t, filepath.Join(db, "GO-2000-0001.json"), entry)
	for call, want := range map[string]string{"_ = ring.New(1)": "GO-2000-0001",
		"_ = ring.Ring{}": "No vulnerabilities found"} {
		t.Run(call, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "go.mod"), "module example.test/m\ngo 1.26\n")
			write(t, filepath.Join(root, "pkg", "p", "p.go"), "package p\nimport \"container/ring\"\nfunc P() { "+call+" }\n")
			write(t, filepath.Join(root, "cmd", "c", "c.go"), "package main\nimport \"example.test/m/pkg/p\"\nfunc main() { "+
				"p.P() }\n")
			cmd := exec.Command(vuln, "-root", root, "-govulncheck", govulncheck, "-db", "file://"+db)
			out, err := cmd.CombinedOutput()
			found := strings.Contains(string(out), "GO-2000-0001") && !strings.Contains(string(out), "No vulnerabilities found")
			if !strings.Contains(string(out), want) || found != (err != nil) ||
				!strings.Contains(string(out), "last changed 2000-01-02T03:04:05Z") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestUnreachableDatabaseIsNoSuccess(t *testing.T) {
	vuln := program(t, ".")
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	for _, optional := range []bool{false, true} {
		args := []string{"-govulncheck", "/nonexistent", "-db", gone.URL}
		if optional {
			args = append(args, "-optional")
		}
		out, err := exec.Command(vuln, args...).CombinedOutput()
		if (err == nil) != optional || !bytes.Contains(out, []byte("NOT CHECKED")) {
			t.Errorf("optional %v: %v\n%s", optional, err, out)
		}
	}
}

func TestAge(t *testing.T) {
	whole, empty := t.TempDir(), t.TempDir()
	write(t, filepath.Join(whole, "index", "db.json"), `{"modified":"2026-05-06T00:00:00Z"}`)
	write(t, filepath.Join(whole, "GO-2000-0001.json"), entry)
	if got, err := age(context.Background(), "file://"+whole); err != nil || got.Year() != 2026 {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := age(context.Background(), "file://"+empty); err == nil {
		t.Error("an empty folder was taken for a database")
	}
}
