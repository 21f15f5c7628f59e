package layout_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/layout"
)

const mostFiles = 25

var repository = os.DirFS("../..")

func packages(t *testing.T) []layout.Package {
	t.Helper()
	all, err := layout.Packages(repository)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("found %d packages, fewer than this repository has", len(all))
	}
	return all
}

func TestPackagesAreSmall(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.Files) > mostFiles {
			t.Errorf("%s has %d files, more than %d: split it by subject", p.Folder, len(p.Files), mostFiles)
		}
	}
}

func TestFileNames(t *testing.T) {
	for _, p := range packages(t) {
		for _, file := range p.RepeatedNames() {
			t.Errorf("%s repeats its folder's name: name it after what it adds", file)
		}
		for _, file := range p.PrivateNames() {
			t.Errorf("%s has a private name; the usual word is %s", file, layout.UsualWord(file))
		}
		if p.PrivateFolder() {
			t.Errorf("%s has a private name; the usual word is %s", p.Folder, layout.UsualWord(p.Folder))
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.Files) > 0 && !p.Documented() {
			t.Errorf("%s has no doc comment that begins with \"Package %s\"", p.Folder, p.Name)
		}
	}
}

func TestDepguardKnowsEachPackage(t *testing.T) {
	config, err := os.ReadFile("../../.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := layout.ReadImportRules(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.Folder, "pkg/") && !strings.HasPrefix(p.Folder, "internal/") {
			continue
		}
		if !rules.Names(p.Folder) {
			t.Errorf("no depguard rule of .golangci.yml names ${config-path}/%s/**: say what it may import", p.Folder)
		}
	}
}

// TestTable compares packages and imports exactly. Lines may drift by a tenth, so that not every commit changes the
// page.
func TestTable(t *testing.T) {
	page, err := os.ReadFile("../../" + layout.Page)
	if err != nil {
		t.Fatal(err)
	}
	text, err := layout.TableIn(string(page))
	if err != nil {
		t.Fatal(err)
	}
	told, err := layout.ParseTable(text)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := layout.Rows(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range layout.Stale(told, rows) {
		t.Errorf("%s: %s (make packages writes the table)", layout.Page, difference)
	}
}
