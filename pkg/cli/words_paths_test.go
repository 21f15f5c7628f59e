package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writers are the functions that may be given a stream of a user's: each makes every value fit before it writes it,
// or writes a document.
var writers = []string{
	"say", "tell", "writeJSON", "writeYAML", "isTerminal", "printDenied", "tellWaysIn", "write",
	"report.ScreenOf", "screenOf", "printFleet", "report.NewBoard", "report.NewProgress", "report.NewSubjectProgress",
	"report.NewEvents", "report.Table", "report.Summary", "report.Interrupted", "report.SubjectTable", "report.Plan",
	"report.Tree",
	"report.Rows", "report.Check", "report.CheckJSON", "report.CheckYAML", "report.JUnit", "report.CheckNames",
	"sanitize.Guard", "sanitize.Unwrap", "sanitize.NewJSONEncoder", "root.SetErr",
}

// TestNothingIsWrittenPastTheWords: no code of this package writes to Out or Err but by a function that makes values
// fit.
func TestNothingIsWrittenPastTheWords(t *testing.T) {
	set := token.NewFileSet()
	uses := 0
	for _, path := range sources(t) {
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var above []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				above = above[:len(above)-1]
				return true
			}
			if call, is := n.(*ast.CallExpr); is {
				switch nameOf(call.Fun) {
				case "json.NewEncoder", "json.MarshalIndent", "yaml.Marshal", "yaml.NewEncoder", "fmt.Print", "fmt.Println",
					"fmt.Printf":
					t.Errorf("%s: %s: internal/sanitize has an encoder that hides nothing", set.Position(n.Pos()), nameOf(call.Fun))
				}
			}
			if stream, is := n.(*ast.SelectorExpr); is && (stream.Sel.Name == "Out" || stream.Sel.Name == "Err") &&
				strings.HasSuffix(strings.ToLower(nameOf(stream.X)), "streams") {
				uses++
				if !mayTake(path, above) {
					t.Errorf("%s: this goes past say, tell and the writers of documents", set.Position(n.Pos()))
				}
			}
			above = append(above, n)
			return true
		})
	}
	if uses < 100 {
		t.Errorf("only %d uses of the streams were found", uses)
	}
}

// mayTake reports whether a stream stands where one of the writers is called with it, is put in a table, or has a short
// name in its function.
func mayTake(path string, above []ast.Node) bool {
	switch parent := above[len(above)-1].(type) {
	case *ast.CallExpr:
		return slices.Contains(writers, local(nameOf(parent.Fun)))
	case *ast.KeyValueExpr:
		owner, _ := above[len(above)-2].(*ast.CompositeLit)
		return local(nameOf(owner.Type)) == "table" || nameOf(owner.Type) == "errorKeepingWriter"
	case *ast.CompositeLit:
		return nameOf(parent.Type) == "redactingWriter"
	case *ast.AssignStmt: // w := a.streams.Err, for tell
		name, is := parent.Lhs[0].(*ast.Ident)
		return is && name.Name == "w"
	case *ast.SelectorExpr: // a.streams.Out.Write, of a document
		return filepath.Base(path) == "streams.go"
	}
	return false
}

// nameOf is a function's or a value's name, such as "report.Table"; empty for what has none.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return strings.TrimPrefix(nameOf(e.X)+"."+e.Sel.Name, ".")
	}
	return ""
}

// local is the name of a function of the commands without its package and with a small first letter, so that one that
// moves between their packages keeps its place in the list.
func local(name string) string {
	name = strings.TrimPrefix(name, "cmdutil.")
	if strings.Contains(name, ".") || name == "" {
		return name
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// sources are the files of the commands, tests left out.
func sources(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
