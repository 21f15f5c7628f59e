package docs

import (
	"os"
	"path/filepath"
	"slices"
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

// Each question of the table is answered by its page first.
func TestSearchFindsThePage(t *testing.T) {
	table, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, asked := cutAll(everyPage("# Commands\n")), 0
	for line := range strings.Lines(string(table)) {
		question, want, is := strings.Cut(strings.TrimSpace(line), " = ")
		if !is {
			continue
		}
		asked++
		found := find(all, question)
		if len(found) == 0 || !slices.Contains(strings.Split(want, "|"), found[0].Page) {
			t.Errorf("%q: want %s first, found %v", question, want, found[:min(len(found), 4)])
		}
	}
	if asked < 40 {
		t.Errorf("%d questions, want 40", asked)
	}
}
