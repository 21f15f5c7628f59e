// Package gotemplate evaluates Go templates on JSON values, as kubectl's -o go-template does.
//
// The templates are parsed by text/template/parse. text/template itself would evaluate them, too, but it looks
// methods up by name, for which the linker keeps every method of every type: hcctl would grow by a quarter. JSON
// values have no methods.
package gotemplate

import (
	"errors"
	"fmt"
	"io"
	"text/template/parse"
)

// deepest bounds templates that call themselves.
const deepest = 1000

// Template is a parsed template.
type Template struct {
	root  *parse.Tree
	named map[string]*parse.Tree
}

// Parse parses a template. The error names the line.
func Parse(text string) (*Template, error) {
	names := map[string]any{}
	for name := range functions {
		names[name] = true
	}
	for _, name := range []string{"and", "or"} {
		names[name] = true
	}
	const root = "template"
	trees, err := parse.Parse(root, text, "", "", names)
	if err != nil {
		return nil, err
	}
	t := &Template{named: trees}
	if t.root = trees[root]; t.root == nil {
		return nil, errors.New("the template only defines others")
	}
	return t, nil
}

// Execute writes what the template makes of a value, which consists of map[string]any, []any, strings, bools, int64,
// float64 and nil. It fails with the first error of an expression, and with that of w.
func (t *Template) Execute(w io.Writer, data any) error {
	s := &state{Template: t, w: w, vars: []variable{{"$", data}}}
	return s.walk(data, t.root.Root)
}

// variable is a variable with its value.
type variable struct {
	name  string
	value any
}

// state is that of an execution.
type state struct {
	*Template
	w     io.Writer
	vars  []variable
	depth int
}

// errBreak and errContinue leave an iteration.
var (
	errBreak    = errors.New("break outside of range")
	errContinue = errors.New("continue outside of range")
)

// walk executes a node. dot is the value of the dot.
func (s *state) walk(dot any, node parse.Node) error {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, one := range n.Nodes {
			if err := s.walk(dot, one); err != nil {
				return err
			}
		}
		return nil
	case *parse.TextNode:
		_, err := s.w.Write(n.Text)
		return err
	case *parse.ActionNode:
		value, err := s.pipe(dot, n.Pipe)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		_, err = io.WriteString(s.w, printed(value))
		return err
	case *parse.IfNode:
		return s.branch(dot, &n.BranchNode, false)
	case *parse.WithNode:
		return s.branch(dot, &n.BranchNode, true)
	case *parse.RangeNode:
		return s.iterate(dot, n)
	case *parse.TemplateNode:
		return s.call(dot, n)
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	case *parse.CommentNode:
		return nil
	}
	return fmt.Errorf("%s is not supported", node)
}

// branch is if and with.
func (s *state) branch(dot any, n *parse.BranchNode, with bool) error {
	defer s.forget(len(s.vars))
	value, err := s.pipe(dot, n.Pipe)
	switch {
	case err != nil:
		return err
	case !truth(value):
		return s.walk(dot, n.ElseList)
	case with:
		dot = value
	}
	return s.walk(dot, n.List)
}

// forget ends the scope of the variables after the first n.
func (s *state) forget(n int) { s.vars = s.vars[:n] }

// iterate is range.
func (s *state) iterate(dot any, n *parse.RangeNode) error {
	defer s.forget(len(s.vars))
	value, err := s.pipeValue(dot, n.Pipe)
	if err != nil {
		return err
	}
	ran := false
	err = each(value, func(key, element any) error {
		ran = true
		defer s.forget(len(s.vars))
		if err := s.declare(n.Pipe, key, element); err != nil {
			return err
		}
		err := s.walk(element, n.List)
		if errors.Is(err, errContinue) {
			return nil
		}
		return err
	})
	switch {
	case errors.Is(err, errBreak):
		return nil
	case err != nil:
		return err
	case !ran:
		return s.walk(dot, n.ElseList)
	}
	return nil
}

// declare sets the variables of a range: the element, or the key and the element.
func (s *state) declare(p *parse.PipeNode, key, element any) error {
	values := []any{element}
	if len(p.Decl) > 1 {
		values = []any{key, element}
	}
	for i, v := range p.Decl {
		if err := s.set(p.IsAssign, v.Ident[0], values[i]); err != nil {
			return err
		}
	}
	return nil
}

// set assigns a variable, or declares it.
func (s *state) set(assign bool, name string, value any) error {
	if !assign {
		s.vars = append(s.vars, variable{name, value})
		return nil
	}
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name == name {
			s.vars[i].value = value
			return nil
		}
	}
	return fmt.Errorf("undefined variable: %s", name)
}

// call is the action template.
func (s *state) call(dot any, n *parse.TemplateNode) error {
	tree := s.named[n.Name]
	if tree == nil {
		return fmt.Errorf("template %q is not defined", n.Name)
	}
	if s.depth++; s.depth > deepest {
		return fmt.Errorf("template %q calls itself without an end", n.Name)
	}
	defer func() { s.depth-- }()
	var value any
	if n.Pipe != nil {
		var err error
		if value, err = s.pipe(dot, n.Pipe); err != nil {
			return err
		}
	}
	inner := *s
	inner.vars = []variable{{"$", value}}
	return inner.walk(value, tree.Root)
}
