package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// LiveReads returns the places below directory where a function with a kube.Reader parameter uses a client instead, as
// "file:line". Such a read is always live, whatever the engine has chosen, and no watch wakes its step.
//
// It matches names: a client is a field named client or Client. Reading the server's clock from it is allowed.
func LiveReads(repository fs.FS, directory string) ([]string, error) {
	var places []string
	err := fs.WalkDir(repository, directory, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, at := range liveReads(file) {
			places = append(places, fmt.Sprintf("%s:%d", name, files.Position(at).Line))
		}
		return nil
	})
	return places, err
}

func liveReads(file *ast.File) []token.Pos {
	var found []token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		switch f := n.(type) {
		case *ast.FuncDecl:
			if f.Body != nil && takesReader(f.Type) {
				found = append(found, clientsIn(f.Body)...)
			}
		case *ast.FuncLit:
			if takesReader(f.Type) {
				found = append(found, clientsIn(f.Body)...)
			}
		}
		return true
	})
	return found
}

func takesReader(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(param *ast.Field) bool {
		t, ok := param.Type.(*ast.SelectorExpr)
		return ok && isName(t.X, "kube") && t.Sel.Name == "Reader"
	})
}

// clientsIn returns the uses of a client field.
func clientsIn(body *ast.BlockStmt) []token.Pos {
	clocks := map[ast.Expr]bool{}
	var found []token.Pos
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		switch {
		case !ok:
		case s.Sel.Name == "Now":
			clocks[s.X] = true
		case (s.Sel.Name == "client" || s.Sel.Name == "Client") && !clocks[s] && !isName(s.X, "kube"):
			found = append(found, s.Pos())
		}
		return true
	})
	return found
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
