package usage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Module is the path of hcctl's module; the sandbox's is below it.
const Module = "github.com/hcctl/hcctl/"

// Source is the parsed Go source below some directories, without tests.
type Source struct {
	set      *token.FileSet
	packages map[string]*pkg
	// parameters are those of every function and method, by its name.
	parameters map[string][][]string
}

// pkg is one directory.
type pkg struct {
	directory string
	files     map[string]*ast.File
	constants map[string]ast.Expr
}

// Parse reads the Go files below directories of tree. It leaves out tests, and directories that only tests use: those
// are called testdata, fake... or ...test.
func Parse(tree fs.FS, directories ...string) (*Source, error) {
	s := &Source{set: token.NewFileSet(), packages: map[string]*pkg{}, parameters: map[string][][]string{}}
	for _, directory := range directories {
		err := fs.WalkDir(tree, directory, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && forTests(entry.Name()):
				return fs.SkipDir
			case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			return s.parse(tree, name)
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func forTests(directory string) bool {
	return directory == "testdata" || strings.HasPrefix(directory, "fake") || strings.HasSuffix(directory, "test")
}

func (s *Source) parse(tree fs.FS, name string) error {
	raw, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(s.set, name, raw, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	directory := path.Dir(name)
	p := s.packages[directory]
	if p == nil {
		p = &pkg{directory: directory, files: map[string]*ast.File{}, constants: map[string]ast.Expr{}}
		s.packages[directory] = p
	}
	p.files[name] = file
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			s.parameters[n.Name.Name] = append(s.parameters[n.Name.Name], namesOf(n.Type.Params))
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				p.addConstants(n)
			}
		}
		return true
	})
	return nil
}

// addConstants keeps the constants of a package, those inside of functions too.
func (p *pkg) addConstants(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range value.Names {
			if i < len(value.Values) {
				p.constants[name.Name] = value.Values[i]
			}
		}
	}
}

// namesOf returns the names of parameters or results, "" for one without.
func namesOf(list *ast.FieldList) []string {
	if list == nil {
		return nil
	}
	var names []string
	for _, f := range list.List {
		if len(f.Names) == 0 {
			names = append(names, "")
		}
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// text returns the string that an expression is: a literal, a constant of this repository, or a sum of them.
func (s *Source) text(p *pkg, file *ast.File, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.ParenExpr:
		return s.text(p, file, e.X)
	case *ast.Ident:
		if value := p.constants[e.Name]; value != nil {
			return s.text(p, file, value)
		}
	case *ast.SelectorExpr:
		if name, ok := e.X.(*ast.Ident); ok {
			if other := s.imported(file, name.Name); other != nil && other.constants[e.Sel.Name] != nil {
				return s.text(other, nil, other.constants[e.Sel.Name])
			}
		}
	case *ast.BinaryExpr:
		left, ok := s.text(p, file, e.X)
		right, also := s.text(p, file, e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}

// imported returns the package of this repository that a file imports under a name, or nil.
func (s *Source) imported(file *ast.File, name string) *pkg {
	if file == nil {
		return nil
	}
	for _, spec := range file.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		directory, ours := strings.CutPrefix(full, Module)
		if err != nil || !ours {
			continue
		}
		called := path.Base(directory)
		if spec.Name != nil {
			called = spec.Name.Name
		}
		if called == name {
			return s.packages[directory]
		}
	}
	return nil
}

// roleOfParameter returns the role of a function's parameter. Functions and methods of one name that take as many
// arguments must agree on it: which one is called is not known here.
func (s *Source) roleOfParameter(function string, i, arguments int) Role {
	var role Role
	known := false
	for _, parameters := range s.parameters[function] {
		if len(parameters) != arguments {
			continue
		}
		this := roleOfName(parameters[i])
		if this == "" && strings.Contains(function, "Condition") &&
			slices.Contains([]string{"kind", "t", "name"}, parameters[i]) {
			this = ConditionType
		}
		if known && this != role {
			return ""
		}
		role, known = this, true
	}
	return role
}
