package layout_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/internal/layout"
)

// tree returns a tree of Go files with this content.
func tree(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for _, root := range layout.Roots {
		out[root+"/README.md"] = &fstest.MapFile{}
	}
	for name, content := range files {
		out[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return out
}

func TestPackages(t *testing.T) {
	got, err := layout.Packages(tree(map[string]string{
		"pkg/a/a.go":            "// Package a adds.\npackage a\n",
		"pkg/a/b.go":            "package a\n\nvar x int\n",
		"pkg/a/zz_generated.go": "package a\n\n\n\n",
		"pkg/a/a_test.go":       "package a_test\n",
		"pkg/a/testdata/x.go":   "no Go at all",
		"hack/c/main.go":        "// Command c runs.\npackage main\n",
		"internal/d/d.go":       "// About d.\npackage d\n",
	}))
	want := []layout.Package{
		{Folder: "hack/c", Files: []string{"main.go"}, Lines: 2, Doc: "Command c runs.\n", Name: "main"},
		{Folder: "internal/d", Files: []string{"d.go"}, Lines: 2, Doc: "About d.\n", Name: "d"},
		{Folder: "pkg/a", Files: []string{"a.go", "b.go"}, Tests: []string{"a_test.go"}, Lines: 5, Doc: "Package a adds.\n",
			Name: "a"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	for i, documented := range []bool{true, false, true} {
		if got[i].Documented() != documented {
			t.Errorf("%s: documented is %v", got[i].Folder, !documented)
		}
	}
	if _, err := layout.Packages(tree(map[string]string{"pkg/a/a.go": "func"})); err == nil {
		t.Error("a file without a package clause is taken")
	}
}

func TestNames(t *testing.T) {
	p := layout.Package{
		Folder: "pkg/prereqs/storage",
		Files: []string{"storage.go", "storage_class.go", "class_storage.go", "once.go", "feed_kind.go", "feeder.go",
			"wait_once.go"},
		Tests: []string{"storage_test.go", "storage_class_test.go", "near_test.go", "class_test.go"},
	}
	repeated := []string{"pkg/prereqs/storage/storage_class.go", "pkg/prereqs/storage/class_storage.go",
		"pkg/prereqs/storage/storage_class_test.go"}
	if diff := cmp.Diff(repeated, p.RepeatedNames()); diff != "" {
		t.Errorf("repeated (-want +got):\n%s", diff)
	}
	private := []string{"pkg/prereqs/storage/once.go", "pkg/prereqs/storage/feed_kind.go",
		"pkg/prereqs/storage/near_test.go"}
	if diff := cmp.Diff(private, p.PrivateNames()); diff != "" {
		t.Errorf("private (-want +got):\n%s", diff)
	}
	if got := layout.UsualWord("pkg/kube/feed_kind.go"); got != "reflector" {
		t.Errorf("instead of feed, %q", got)
	}
	if p.PrivateFolder() || !(layout.Package{Folder: "internal/near"}).PrivateFolder() {
		t.Error("internal/near is a private word, pkg/prereqs/storage is none")
	}
}

const config = `
linters:
  settings:
    depguard:
      rules:
        a:
          files: ["${config-path}/pkg/a/**", "!${config-path}/pkg/a/inner/**"]
          deny: [{pkg: github.com/hcctl/hcctl/}, {pkg: k8s.io}]
          allow: [github.com/hcctl/hcctl/pkg/a, github.com/hcctl/hcctl/pkg/b$, github.com/hcctl/hcctl/internal/fake]
        inner:
          files: ["${config-path}/pkg/a/inner/**"]
          deny: [{pkg: github.com/hcctl/hcctl/}]
          allow: [github.com/hcctl/hcctl/pkg/b$]
        tests:
          files: ["${config-path}/pkg/**", "!$test"]
          deny: [{pkg: github.com/hcctl/hcctl/internal/fake}]
        all:
          files: ["$all"]
          deny: [{pkg: github.com/hcctl/hcctl/sandbox}]
`

func TestImportRules(t *testing.T) {
	rules, err := layout.ReadImportRules([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		folder         string
		named, limited bool
		imports        string
	}{
		// What only tests may import is not listed.
		{"pkg/a", true, true, "pkg/a pkg/b"},
		{"pkg/a/other", false, true, "pkg/a pkg/b"},
		{"pkg/a/inner", true, true, "pkg/b"},
		{"pkg/ab", false, false, ""},
	} {
		imports, limited := rules.MayImport(tc.folder)
		if got := strings.Join(imports, " "); got != tc.imports || limited != tc.limited ||
			rules.Names(tc.folder) != tc.named {
			t.Errorf("%s: named %v, limited %v, imports %q", tc.folder, rules.Names(tc.folder), limited, got)
		}
	}
	for name, bad := range map[string]string{
		"no rules": "linters: {}",
		"no YAML":  "linters: [",
		"an unknown pattern": strings.Replace(config, "pkg/a/inner/**\"]\n          deny", "pkg/a/*_x.go\"]\n          deny",
			1),
	} {
		if _, err := layout.ReadImportRules([]byte(bad)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRows(t *testing.T) {
	files := tree(map[string]string{
		".golangci.yml":         config,
		".golangci.sandbox.yml": strings.ReplaceAll(config, "pkg/a", "sandbox/a"),
		"pkg/a/a.go":            "package a\n",
		"pkg/a/inner/inner.go":  "package inner\n\nvar x int\n",
		"pkg/c/c_test.go":       "package c\n",
		"sandbox/a/a.go":        "package a\n",
		"sandbox/free/free.go":  "package free\n",
	})
	rows, err := layout.Rows(files)
	if err != nil {
		t.Fatal(err)
	}
	want := []layout.Row{
		{Package: "pkg/a", Files: 1, Lines: 1, MayImport: "pkg/a, pkg/b"},
		{Package: "pkg/a/inner", Files: 1, Lines: 3, MayImport: "pkg/b"},
		{Package: "sandbox/a", Files: 1, Lines: 1, MayImport: "internal/fake, pkg/b"},
		{Package: "sandbox/free", Files: 1, Lines: 1, MayImport: "anything"},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	parsed, err := layout.ParseTable(layout.Table(rows))
	if diff := cmp.Diff(rows, parsed); diff != "" || err != nil {
		t.Errorf("%v (-written +read):\n%s", err, diff)
	}
}

func TestStale(t *testing.T) {
	row := layout.Row{Package: "pkg/a", MayImport: "pkg/b", Files: 3, Lines: 1000}
	changed := func(change func(*layout.Row)) []layout.Row {
		r := row
		change(&r)
		return []layout.Row{r}
	}
	for name, tc := range map[string]struct {
		now  []layout.Row
		want string
	}{
		"the same":     {[]layout.Row{row}, ""},
		"a tenth more": {changed(func(r *layout.Row) { r.Lines = 1100 }), ""},
		"many more":    {changed(func(r *layout.Row) { r.Lines = 1101 }), "pkg/a has 1101 lines, not 1000"},
		"many fewer":   {changed(func(r *layout.Row) { r.Lines = 899 }), "pkg/a has 899 lines, not 1000"},
		"a file":       {changed(func(r *layout.Row) { r.Files = 4 }), "pkg/a has 4 files, not 3"},
		"an import":    {changed(func(r *layout.Row) { r.MayImport = "pkg/c" }), "pkg/a may import pkg/c, not pkg/b"},
		"gone":         {nil, "pkg/a is gone"},
		"moved":        {changed(func(r *layout.Row) { r.Package = "pkg/x" }), "pkg/x is missing\npkg/a is gone"},
	} {
		if got := strings.Join(layout.Stale([]layout.Row{row}, tc.now), "\n"); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestReplace(t *testing.T) {
	page := "before\n<!-- packages:begin (make packages writes this table) -->\nold\n<!-- packages:end -->\nafter\n"
	got, err := layout.Replace(page, "new\n")
	if want := strings.Replace(page, "old", "new", 1); got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := layout.Replace("no marks", "new\n"); err == nil {
		t.Error("a page without the lines is taken")
	}
}
