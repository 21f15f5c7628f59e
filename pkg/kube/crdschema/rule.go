package crdschema

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// Rule evaluates a CEL rule for a value. known is false for rules about the old object and for syntax that this package
// does not implement: CEL's own library is larger than all of hcctl that reads files. The rules come from contracts,
// never from a cluster; the value may be anything.
func Rule(text string, value any) (holds, known bool) {
	if strings.Contains(text, "oldSelf") {
		return true, false
	}
	e, err := parse(text)
	if err != nil {
		return true, false
	}
	result, err := e(scope{"self": value})
	if errors.Is(err, errUnknown) {
		return true, false
	}
	holds, _ = result.(bool) // false after an evaluation error
	return holds, true
}

// onlyPattern returns the pattern of a rule of the form self.matches(pattern).
func onlyPattern(text string) (pattern string, only bool) {
	p := &parser{tokens: tokens(text)}
	if len(p.tokens) == 6 && strings.Join(p.tokens[:4], "") == "self.matches(" {
		return unquote(p.tokens[4]), true
	}
	return "", false
}

var (
	errUnknown = errors.New("unknown word")
	errMissing = errors.New("no such key")
)

type (
	scope map[string]any
	// expression evaluates a part of a rule.
	expression func(scope) (any, error)
	// optional is the result of the .? operator.
	optional struct {
		value any
		found bool
	}
)

func constant(v any) expression { return func(scope) (any, error) { return v, nil } }

var tokenPattern = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_]\w*|\d+|` +
	`\|\||&&|[=!<>]=|\.\?|[-+*/%!<>?:.,()\[\]{}]`)

var escaped = lazyregexp.New(`\\(.)`)

func tokens(text string) []string { return tokenPattern.Get().FindAllString(text, -1) }

func unquote(token string) string {
	return escaped.Get().ReplaceAllString(token[1:len(token)-1], "$1")
}

type parser struct {
	tokens []string
	err    error
}

func parse(text string) (expression, error) {
	p := &parser{tokens: tokens(text)}
	e := p.conditional()
	if len(p.tokens) > 0 && p.err == nil {
		p.err = errUnknown
	}
	return e, p.err
}

func (p *parser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *parser) next() string {
	token := p.peek()
	if token == "" {
		p.err = errUnknown
		return ""
	}
	p.tokens = p.tokens[1:]
	return token
}

func (p *parser) accept(token string) bool {
	if p.peek() != token {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *parser) expect(token string) {
	if !p.accept(token) {
		p.err = errUnknown
	}
}

// conditional parses A ? B : C.
func (p *parser) conditional() expression {
	e := p.logical("||", true, func() expression { return p.logical("&&", false, p.comparison) })
	if p.err != nil || !p.accept("?") {
		return e
	}
	yes := p.conditional()
	p.expect(":")
	no := p.conditional()
	return func(in scope) (any, error) {
		switch is, err := e(in); {
		case err != nil:
			return nil, err
		case is == true:
			return yes(in)
		}
		return no(in)
	}
}

// logical parses A || B || C, or the same with &&. An operand that equals decides determines the result, even if others
// fail.
func (p *parser) logical(operator string, decides bool, part func() expression) expression {
	parts := []expression{part()}
	for p.err == nil && p.accept(operator) {
		parts = append(parts, part())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return func(in scope) (any, error) {
		var failed error
		for _, one := range parts {
			is, err := one(in)
			if err == nil && is == decides {
				return decides, nil
			}
			failed = errors.Join(failed, err)
		}
		return !decides, failed
	}
}

func (p *parser) comparison() expression {
	left := p.unary()
	switch operator := p.peek(); operator {
	case "==", "!=", "<", "<=", ">", ">=", "in":
		p.next()
		right := p.unary()
		return func(in scope) (any, error) {
			a, err := left(in)
			if err != nil {
				return nil, err
			}
			b, err := right(in)
			if err != nil {
				return nil, err
			}
			return compare(operator, a, b)
		}
	}
	return left
}

func compare(operator string, a, b any) (any, error) {
	switch operator {
	case "==":
		return reflect.DeepEqual(a, b), nil
	case "!=":
		return !reflect.DeepEqual(a, b), nil
	case "in":
		list, _ := b.([]any)
		return slices.ContainsFunc(list, func(item any) bool { return reflect.DeepEqual(item, a) }), nil
	}
	x, y := number(a), number(b)
	switch operator {
	case "<":
		return x < y, nil
	case "<=":
		return x <= y, nil
	case ">":
		return x > y, nil
	}
	return x >= y, nil
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

func (p *parser) unary() expression {
	if p.accept("!") {
		e := p.unary()
		return func(in scope) (any, error) {
			is, err := e(in)
			return is == false, err
		}
	}
	e := p.primary()
	for p.err == nil {
		switch {
		case p.accept("."):
			e = p.member(e, p.next())
		case p.accept(".?"):
			e = lookup(e, p.next(), true)
		case p.accept("["):
			e = p.call("[]", append([]expression{e}, p.conditional()))
			p.expect("]")
		default:
			return e
		}
	}
	return e
}

func (p *parser) primary() expression {
	token := p.next()
	switch {
	case p.err != nil:
		return nil
	case token == "(":
		e := p.conditional()
		p.expect(")")
		return e
	case token == "[":
		return p.call("list", p.arguments("]"))
	case token == "{":
		p.expect("}")
		return constant(map[string]any{})
	case token[0] == '"' || token[0] == '\'':
		return constant(unquote(token))
	case token[0] >= '0' && token[0] <= '9':
		n, err := strconv.ParseInt(token, 10, 64)
		p.err = errors.Join(p.err, err)
		return constant(n)
	case token == "true" || token == "false":
		return constant(token == "true")
	case p.accept("("):
		return p.function(token)
	}
	return func(in scope) (any, error) {
		if v, has := in[token]; has {
			return v, nil
		}
		return nil, errUnknown
	}
}

func (p *parser) arguments(end string) (all []expression) {
	for p.err == nil && !p.accept(end) {
		if len(all) > 0 {
			p.expect(",")
		}
		all = append(all, p.conditional())
	}
	return all
}

func (p *parser) function(name string) expression {
	arguments := p.arguments(")")
	if name != "has" {
		return p.call(name, arguments)
	}
	if len(arguments) != 1 {
		p.err = errUnknown
	}
	return func(in scope) (any, error) {
		v, err := arguments[0](in)
		if errors.Is(err, errMissing) && !errors.Is(err, errBefore) {
			return false, nil
		}
		o, is := v.(optional)
		return err == nil && v != nil && (!is || o.found), err
	}
}

// errBefore is the error for a missing key before the last one of a path.
var errBefore = fmt.Errorf("%w before the last", errMissing)

// lookup returns the field of a value; with maybe the result is an optional.
func lookup(of expression, key string, maybe bool) expression {
	return func(in scope) (any, error) {
		v, err := of(in)
		if errors.Is(err, errMissing) {
			return nil, errBefore
		} else if err != nil {
			return nil, err
		}
		o, chained := v.(optional)
		if chained {
			v = o.value
		}
		fields, _ := v.(map[string]any)
		found, has := fields[key]
		switch {
		case maybe || chained:
			return optional{found, has}, nil
		case !has:
			return nil, errMissing
		}
		return found, nil
	}
}

// member parses a field, a method call, or a macro over a list (all, exists).
func (p *parser) member(of expression, name string) expression {
	switch {
	case p.err != nil:
		return nil
	case !p.accept("("):
		return lookup(of, name, false)
	case name == "all" || name == "exists":
		variable := p.next()
		p.expect(",")
		each := p.conditional()
		p.expect(")")
		return loop(of, name == "exists", variable, each)
	}
	return p.call(name, append([]expression{of}, p.arguments(")")...))
}

func loop(of expression, decides bool, variable string, each expression) expression {
	return func(in scope) (any, error) {
		v, err := of(in)
		if err != nil {
			return nil, err
		}
		inner, failed := maps.Clone(in), error(nil)
		list, _ := v.([]any)
		for _, item := range list {
			inner[variable] = item
			is, err := each(inner)
			if err == nil && is == decides {
				return decides, nil
			}
			failed = errors.Join(failed, err)
		}
		return !decides, failed
	}
}

// call returns a function call. A method gets its receiver as the first argument.
func (p *parser) call(name string, arguments []expression) expression {
	f := functions()[name]
	if f == nil && name != "list" {
		p.err = errUnknown
	}
	return func(in scope) (any, error) {
		values := make([]any, len(arguments)+3) // a function may read up to three
		for i, a := range arguments {
			v, err := a(in)
			if err != nil {
				return nil, err
			}
			values[i] = v
		}
		if name == "list" {
			return values[:len(arguments)], nil
		}
		return f(values[0], values[1], values[2])
	}
}
