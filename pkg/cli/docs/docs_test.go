package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/docs"
)

// TestPagesAreBuiltIn: each page of docs is built in, or it is said where else the same is told.
func TestPagesAreBuiltIn(t *testing.T) {
	var files []string
	for _, directory := range []string{".", developers} {
		found, err := filepath.Glob(filepath.Join(docsDirectory, directory, "*.md"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d pages, %v", directory, len(found), err)
		}
		files = append(files, found...)
	}
	built := map[string]string{}
	for _, p := range listed("# Commands\n") {
		built[p.name] = p.text
	}
	delete(built, "commands") // printed by hcctl alone
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, elsewhere := docs.Elsewhere[name]
		switch text, there := built[name]; {
		case there == elsewhere:
			t.Errorf("%s: name it in docs/pages.go, either as built in or as told elsewhere", file)
		case there && text != string(data):
			t.Errorf("%s is built in otherwise", file)
		}
		delete(built, name)
	}
	if len(built) > 0 {
		t.Errorf("built in, and not there: %v", built)
	}
}

func TestMatches(t *testing.T) {
	p := page{"p", "P", "# P\n\nNothing.\n\n## Keys\n\nA pull secret is a Secret.\n\n```\n# comment\nsecret\n```\n" +
		strings.Repeat("x ", 60) + "SECRET at the end\n" + strings.Repeat("secret\n", 9)}
	rows := matches(p, "secret")
	if len(rows) != maxMatches {
		t.Fatalf("%d rows: %q", len(rows), rows)
	}
	if rows[0].Heading != "Keys" || rows[0].Line != "A pull secret is a Secret." || rows[1].Heading != "Keys" {
		t.Errorf("%q", rows)
	}
	if long := rows[2].Line; !strings.Contains(long, "SECRET at the end") || !strings.HasPrefix(long, "…") {
		t.Errorf("%q", long)
	}
}
