package usage

import (
	"cmp"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Use is a place where code uses a word.
type Use struct {
	Word string
	Role Role
	// File is relative to the root, with slashes.
	File string
	Line int
}

// keyForm is a label, annotation or finalizer with a domain; a version after the slash makes it an API version.
var (
	keyForm = regexp.MustCompile(`^(([a-z0-9-]+\.)+[a-z]+)/([A-Za-z0-9._-]+)$`)
	version = regexp.MustCompile(`^v\d`)
)

// Find returns every use of a word, sorted by file and line. domains reports whether an operator uses that domain.
func (s *Source) Find(domains func(string) bool) []Use {
	var all []Use
	for _, directory := range slices.Sorted(maps.Keys(s.packages)) {
		p := s.packages[directory]
		for _, name := range slices.Sorted(maps.Keys(p.files)) {
			f := &finder{source: s, pkg: p, file: p.files[name], name: name, domains: domains}
			f.walk()
			all = append(all, f.uses...)
		}
	}
	slices.SortFunc(all, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Word, b.Word),
			cmp.Compare(a.Role, b.Role))
	})
	return slices.Compact(all)
}

// finder looks at one file.
type finder struct {
	source  *Source
	pkg     *pkg
	file    *ast.File
	name    string
	domains func(string) bool
	uses    []Use
}

// add takes the string that e is, or each of a list's.
func (f *finder) add(role Role, e ast.Expr) {
	if role == "" || e == nil {
		return
	}
	if list, ok := e.(*ast.CompositeLit); ok {
		if _, ok := list.Type.(*ast.ArrayType); ok {
			for _, element := range list.Elts {
				f.add(role, element)
			}
		}
		return
	}
	word, ok := f.source.text(f.pkg, f.file, e)
	// An empty word is none, and what has spaces is a message.
	if !ok || word == "" || strings.ContainsAny(word, " \n") {
		return
	}
	at := f.source.set.Position(e.Pos())
	f.uses = append(f.uses, Use{word, role, f.name, at.Line})
}

func (f *finder) walk() {
	results := [][]string{}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncDecl:
			if n.Body != nil {
				results = append(results, namesOf(n.Type.Results))
				ast.Inspect(n.Body, visit)
				results = results[:len(results)-1]
			}
			return false
		case *ast.FuncLit:
			results = append(results, namesOf(n.Type.Results))
			ast.Inspect(n.Body, visit)
			results = results[:len(results)-1]
			return false
		case *ast.ReturnStmt:
			if len(results) > 0 {
				f.returned(n, results[len(results)-1])
			}
		default:
			f.look(n)
		}
		return true
	}
	ast.Inspect(f.file, visit)
}

func (f *finder) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.BasicLit:
		f.key(n)
	case *ast.GenDecl:
		f.declared(n)
	case *ast.CompositeLit:
		f.literal(n, typeName(n.Type))
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			f.add(roleOfExpr(n.X), n.Y)
			f.add(roleOfExpr(n.Y), n.X)
		}
	case *ast.SwitchStmt:
		f.cases(n)
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for i := range n.Lhs {
				f.add(roleOfExpr(n.Lhs[i]), n.Rhs[i])
			}
		}
	case *ast.CallExpr:
		f.call(n)
	case *ast.IndexExpr:
		f.index(n)
	}
}

// key takes a literal with a domain.
func (f *finder) key(n *ast.BasicLit) {
	text, err := strconv.Unquote(n.Value)
	if n.Kind != token.STRING || err != nil {
		return
	}
	if m := keyForm.FindStringSubmatch(text); m != nil && f.domains(m[1]) && !version.MatchString(m[3]) {
		f.add(Key, n)
	}
}

func (f *finder) returned(n *ast.ReturnStmt, results []string) {
	if len(n.Results) != len(results) {
		return
	}
	for i, e := range n.Results {
		f.add(roleOfName(results[i]), e)
	}
}

// declared takes constants and variables by their names.
func (f *finder) declared(n *ast.GenDecl) {
	if n.Tok != token.CONST && n.Tok != token.VAR {
		return
	}
	for _, spec := range n.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || typeName(value.Type) == "ID" {
			continue // the ID of a step, such as preflight/unique-name
		}
		for i, name := range value.Names {
			if i < len(value.Values) {
				f.add(roleOfConstant(name.Name), value.Values[i])
			}
		}
	}
}

// literal takes the fields of a struct, the entries of a map that is a condition, and the elements of lists of both.
func (f *finder) literal(n *ast.CompositeLit, name string) {
	condition := isConditionMap(n)
	for i, e := range n.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			f.element(n, name, i, e)
			continue
		}
		switch key := pair.Key.(type) {
		case *ast.Ident:
			f.add(roleOfKey(name, key.Name), pair.Value)
		case *ast.BasicLit:
			if text := strings.Trim(key.Value, `"`); condition && text == "type" {
				f.add(ConditionType, pair.Value)
			} else {
				f.add(roleOfField(text), pair.Value)
			}
		}
		if inner, ok := pair.Value.(*ast.CompositeLit); ok && inner.Type == nil {
			f.literal(inner, name)
		}
	}
}

// element takes one without a key: an element of a list, or a field by its place.
func (f *finder) element(n *ast.CompositeLit, name string, i int, e ast.Expr) {
	if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
		f.literal(inner, name)
		return
	}
	_, list := n.Type.(*ast.ArrayType)
	if !list && len(n.Elts) > 2 && strings.HasSuffix(name, "Condition") {
		f.add(map[int]Role{0: ConditionType, 2: Reason}[i], e)
	}
}

func isConditionMap(n *ast.CompositeLit) bool {
	keys := 0
	for _, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.BasicLit); ok && slices.Contains([]string{`"status"`, `"reason"`}, key.Value) {
				keys++
			}
		}
	}
	return keys == 2
}

func (f *finder) cases(n *ast.SwitchStmt) {
	role := roleOfExpr(n.Tag)
	for _, s := range n.Body.List {
		if clause, ok := s.(*ast.CaseClause); ok {
			for _, e := range clause.List {
				f.add(role, e)
			}
		}
	}
}

// index takes the keys of a map literal that is looked up by such a value.
func (f *finder) index(n *ast.IndexExpr) {
	literal, ok := n.X.(*ast.CompositeLit)
	if !ok {
		return
	}
	for _, e := range literal.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			f.add(roleOfExpr(n.Index), pair.Key)
		}
	}
}

// call takes arguments by the names of the parameters, and what is written to or looked for in a status.
func (f *finder) call(n *ast.CallExpr) {
	name := ""
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	switch {
	case (name == "SetName" || name == "SetNamespace") && len(n.Args) == 1:
		f.add(ObjectName, n.Args[0])
	case name == "Set" && len(n.Args) > 3:
		f.add(roleOfPath(n.Args), n.Args[1])
	case name == "Contains" && len(n.Args) == 2:
		f.add(roleOfExpr(n.Args[1]), n.Args[0])
	}
	for i, e := range n.Args {
		f.add(f.source.roleOfParameter(name, i, len(n.Args)), e)
	}
}
