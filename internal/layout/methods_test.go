package layout_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
	"testing"
)

// A part of a command that has more methods than these is several parts: cmdutil.Factory once had 70.
const maxMethods = 8

func TestTypesOfCommandsAreSmall(t *testing.T) {
	methods := map[string][]string{}
	err := fs.WalkDir(repository, "pkg/cli/internal", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, is := decl.(*ast.FuncDecl); is && f.Recv != nil {
				of := f.Recv.List[0].Type
				if star, is := of.(*ast.StarExpr); is {
					of = star.X
				}
				owner := path.Dir(name) + "." + of.(*ast.Ident).Name
				methods[owner] = append(methods[owner], f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(methods) < 30 {
		t.Fatalf("only %d types with methods were found", len(methods))
	}
	for owner, names := range methods {
		if len(names) > maxMethods {
			t.Errorf("%s has %d methods, more than %d: %s", owner, len(names), maxMethods, strings.Join(names, ", "))
		}
	}
}
