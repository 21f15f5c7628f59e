package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPageNamesTests checks that every test that docs/security.md names exists. A claim without its test must
// be removed.
func TestSecurityPageNamesTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, named := range regexp.MustCompile(`\b([EB])\(([a-z_-]+)\)`).FindAllStringSubmatch(string(page), -1) {
		if named[1] == "E" {
			if _, err := os.Stat(filepath.Join("testdata", "hostile", named[2]+".txtar")); err != nil {
				t.Errorf("docs/security.md names %s: %v", named[0], err)
			}
			continue
		}
		if !declares(t, []string{"e2e"}, `"`+strings.ReplaceAll(named[2], "_", " ")+`"`) {
			t.Errorf("docs/security.md names %s, which TestBounds does not have", named[0])
		}
	}
	commands := regexp.MustCompile(`go test ((?:\./\S+ )+)-run '?([^'`+"`"+` ]+)`).FindAllStringSubmatch(string(page), -1)
	if len(commands) < 40 {
		t.Errorf("only %d commands are found", len(commands))
	}
	for _, c := range commands {
		for _, name := range strings.Split(strings.ReplaceAll(c[2], `\|`, "|"), "|") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "$"), "/")
			if !declares(t, strings.Fields(c[1]), `func (Test|Fuzz)\w*`+name) &&
				!declares(
					t, strings.Fields(c[1]),
					`func (Test|Fuzz)`+strings.TrimPrefix(strings.TrimPrefix(name, "Test"), "Fuzz"),
				) {
				t.Errorf("docs/security.md names test %s, which %s does not have", name, strings.TrimSpace(c[1]))
			}
		}
	}
}

// declares reports whether a test file of one of the packages has a match of the pattern.
func declares(t *testing.T, packages []string, pattern string) bool {
	t.Helper()
	match := regexp.MustCompile(pattern)
	for _, p := range packages {
		files, err := filepath.Glob(filepath.Join("..", p, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if match.Match(text) {
				return true
			}
		}
	}
	return false
}
