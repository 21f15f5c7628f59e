package gotemplate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/template/parse"
)

// pipe evaluates a pipeline and sets its variables.
func (s *state) pipe(dot any, p *parse.PipeNode) (any, error) {
	value, err := s.pipeValue(dot, p)
	if err != nil {
		return nil, err
	}
	for _, v := range p.Decl {
		if err := s.set(p.IsAssign, v.Ident[0], value); err != nil {
			return nil, err
		}
	}
	return value, nil
}

func (s *state) pipeValue(dot any, p *parse.PipeNode) (value any, err error) {
	for i, c := range p.Cmds {
		var last []any
		if i > 0 {
			last = []any{value}
		}
		if value, err = s.command(dot, c, last); err != nil {
			return nil, err
		}
	}
	return value, nil
}

// command evaluates one part of a pipeline; last has the value of the part before.
func (s *state) command(dot any, c *parse.CommandNode, last []any) (any, error) {
	if f, is := c.Args[0].(*parse.IdentifierNode); is {
		return s.function(dot, f.Ident, c.Args[1:], last)
	}
	if _, is := c.Args[0].(*parse.NilNode); is {
		return nil, errors.New("nil is not a command")
	}
	if len(c.Args) > 1 || len(last) > 0 {
		return nil, fmt.Errorf("%s takes no arguments: it is not a function", c.Args[0])
	}
	return s.operand(dot, c.Args[0])
}

func (s *state) operand(dot any, node parse.Node) (any, error) {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.NilNode:
		return nil, nil
	case *parse.BoolNode:
		return n.True, nil
	case *parse.StringNode:
		return n.Text, nil
	case *parse.NumberNode:
		switch {
		case n.IsInt:
			return n.Int64, nil
		case n.IsFloat:
			return n.Float64, nil
		}
		return nil, fmt.Errorf("%s is not a number that JSON has", n)
	case *parse.FieldNode:
		return fields(dot, n.Ident)
	case *parse.ChainNode:
		value, err := s.operand(dot, n.Node)
		if err != nil {
			return nil, err
		}
		return fields(value, n.Field)
	case *parse.VariableNode:
		for i := len(s.vars) - 1; i >= 0; i-- {
			if s.vars[i].name == n.Ident[0] {
				return fields(s.vars[i].value, n.Ident[1:])
			}
		}
		return nil, fmt.Errorf("undefined variable: %s", n.Ident[0])
	case *parse.PipeNode:
		return s.pipe(dot, n)
	case *parse.IdentifierNode:
		return s.function(dot, n.Ident, nil, nil)
	}
	return nil, fmt.Errorf("%s is not supported", node)
}

// fields follows names into maps; a missing one is nil.
func fields(value any, names []string) (any, error) {
	for _, name := range names {
		switch v := value.(type) {
		case nil:
			return nil, nil
		case map[string]any:
			value = v[name]
		default:
			return nil, fmt.Errorf("can't evaluate field %s in type %T", name, value)
		}
	}
	return value, nil
}

func (s *state) function(dot any, name string, args []parse.Node, last []any) (any, error) {
	if name == "and" || name == "or" {
		return s.logical(dot, name == "and", args, last)
	}
	values := make([]any, 0, len(args)+1)
	for _, arg := range args {
		v, err := s.operand(dot, arg)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	value, err := functions[name](append(values, last...))
	if err != nil {
		return nil, fmt.Errorf("error calling %s: %w", name, err)
	}
	return value, nil
}

// logical is and or or: the first value that decides, else the last one.
func (s *state) logical(dot any, and bool, args []parse.Node, last []any) (value any, err error) {
	if len(args)+len(last) == 0 {
		return nil, errors.New("and and or need a value")
	}
	for _, arg := range args {
		if value, err = s.operand(dot, arg); err != nil || truth(value) != and {
			return value, err
		}
	}
	if len(last) > 0 {
		return last[0], nil
	}
	return value, nil
}

// truth is false for false, 0, nil and what is empty.
func truth(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// each calls f with each element of a list, of a map by its sorted keys, or of the numbers below one.
func each(value any, f func(key, element any) error) error {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		for i, element := range v {
			if err := f(int64(i), element); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := f(key, v[key]); err != nil {
				return err
			}
		}
		return nil
	case int64:
		for i := range v {
			if err := f(i, i); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("range can't iterate over %v", value)
}

// printed is a value as text.
func printed(value any) string {
	if value == nil {
		return "<no value>"
	}
	return fmt.Sprint(value)
}
