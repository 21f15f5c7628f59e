// Package main adds the conditions of switch cases to a coverage profile: cases PROFILE MODULE ROOT. Go's coverage has
// no block for them, so that a mutation tester would treat them as code that no test reaches.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: cases PROFILE MODULE ROOT")
		os.Exit(2)
	}
	if err := add(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "cases:", err)
		os.Exit(1)
	}
}

// block is one line of a profile.
type block struct {
	fromLine, fromColumn, toLine, toColumn, statements, count int
}

func (b block) has(p token.Position) bool {
	return (b.fromLine < p.Line || b.fromLine == p.Line && b.fromColumn <= p.Column) &&
		(p.Line < b.toLine || p.Line == b.toLine && p.Column < b.toColumn)
}

func add(profile, module, root string) error {
	data, err := os.ReadFile(profile)
	if err != nil {
		return err
	}
	files := map[string][]block{}
	for line := range strings.Lines(string(data)) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		var b block
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.fromLine, &b.fromColumn, &b.toLine, &b.toColumn,
			&b.statements, &b.count); ok && err == nil {
			files[name] = append(files[name], b)
		}
	}
	out := strings.TrimRight(string(data), "\n") + "\n"
	for name, blocks := range files {
		more, err := cases(name, filepath.Join(root, strings.TrimPrefix(name, module+"/")), blocks)
		if err != nil {
			return err
		}
		out += more
	}
	return os.WriteFile(profile, []byte(out), 0o600)
}

// cases returns the profile's lines for the cases of a file. They count as covered if their switch is.
func cases(name, path string, blocks []block) (string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SwitchStmt)
		if !ok {
			return true
		}
		reached := 0
		for _, b := range blocks {
			if b.count > 0 && b.has(set.Position(s.Switch)) {
				reached = 1
			}
		}
		for _, clause := range s.Body.List {
			if c := clause.(*ast.CaseClause); len(c.List) > 0 {
				from, to := set.Position(c.List[0].Pos()), set.Position(c.Colon)
				fmt.Fprintf(&out, "%s:%d.%d,%d.%d 1 %d\n", name, from.Line, from.Column, to.Line, to.Column, reached)
			}
		}
		return true
	})
	return out.String(), nil
}
