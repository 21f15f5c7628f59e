package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestDraw(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	imports := func(path string) *fstest.MapFile {
		return file("package p\n\nimport _ \"github.com/hcctl/hcctl/pkg/" + path + "\"\n")
	}
	rule := func(room string) string { return `          files: ["${config-path}/pkg/` + room + `/**"]` + "\n" }
	tree := fstest.MapFS{".golangci.yml": file(rule("step") + rule("cli")), "pkg/cli/stop/a.go": imports("step/x"),
		"pkg/step/a.go": file("package p"), "pkg/step/a_test.go": imports("cli")}
	drawing, err := draw(tree)
	if err != nil || !strings.Contains(drawing, "2 rooms of pkg, 1 arrows") || !strings.Contains(drawing, "cli -->|1| step") {
		t.Errorf("%v\n%s", err, drawing)
	}
	tree["pkg/step/x/b.go"] = imports("cli")
	if _, err := draw(tree); err == nil || !strings.Contains(err.Error(), "pkg/step/x/b.go imports up") {
		t.Error(err)
	}
	delete(tree, "pkg/step/x/b.go")
	tree["pkg/attic/b.go"] = file("package p")
	if _, err := draw(tree); err == nil || !strings.Contains(err.Error(), "pkg/attic is no room") {
		t.Error(err)
	}
	drawing, err = draw(os.DirFS("../.."))
	if err != nil || !strings.Contains(drawing, "11 rooms of pkg") {
		t.Errorf("%v\n%s", err, drawing)
	}
}
