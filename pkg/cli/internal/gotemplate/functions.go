package gotemplate

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"text/template"
)

// functions are those of text/template that make sense on JSON values, and kubectl's exists and base64decode. and and
// or do not evaluate all of their arguments, so they are not here.
var functions = map[string]func(args []any) (any, error){
	"not":      one(func(v any) (any, error) { return !truth(v), nil }),
	"len":      one(length),
	"index":    index,
	"slice":    slice,
	"print":    func(args []any) (any, error) { return fmt.Sprint(args...), nil },
	"println":  func(args []any) (any, error) { return fmt.Sprintln(args...), nil },
	"printf":   printf,
	"html":     escaper(template.HTMLEscaper),
	"js":       escaper(template.JSEscaper),
	"urlquery": escaper(template.URLQueryEscaper),
	"eq":       eq,
	"ne": two(func(a, b any) (any, error) {
		same, err := equal(a, b)
		return !same, err
	}),
	"lt": order(func(n int) bool { return n < 0 }),
	"le": order(func(n int) bool { return n <= 0 }),
	"gt": order(func(n int) bool { return n > 0 }),
	"ge": order(func(n int) bool { return n >= 0 }),
	"exists": func(args []any) (any, error) {
		v, err := index(args)
		return err == nil && v != nil, nil // what cannot be reached does not exist
	},
	"base64decode": one(func(v any) (any, error) {
		text, is := v.(string)
		if !is {
			return nil, fmt.Errorf("%T is not text", v)
		}
		data, err := base64.StdEncoding.DecodeString(text)
		return string(data), err
	}),
}

func one(f func(any) (any, error)) func([]any) (any, error) {
	return func(args []any) (any, error) {
		if len(args) != 1 {
			return nil, fmt.Errorf("want 1 argument, got %d", len(args))
		}
		return f(args[0])
	}
}

func two(f func(a, b any) (any, error)) func([]any) (any, error) {
	return func(args []any) (any, error) {
		if len(args) != 2 {
			return nil, fmt.Errorf("want 2 arguments, got %d", len(args))
		}
		return f(args[0], args[1])
	}
}

func escaper(f func(...any) string) func([]any) (any, error) {
	return func(args []any) (any, error) { return f(args...), nil }
}

func length(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return int64(len(v)), nil
	case []any:
		return int64(len(v)), nil
	case map[string]any:
		return int64(len(v)), nil
	}
	return nil, fmt.Errorf("len of type %T", v)
}

// index follows keys and places into a value; a missing key is nil.
func index(args []any) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("want a value")
	}
	value := args[0]
	for _, at := range args[1:] {
		switch v := value.(type) {
		case map[string]any:
			key, is := at.(string)
			if !is {
				return nil, fmt.Errorf("%v is not a key of a map", at)
			}
			value = v[key]
		case []any:
			i, is := at.(int64)
			if !is || i < 0 || i >= int64(len(v)) {
				return nil, fmt.Errorf("index out of range: %v", at)
			}
			value = v[i]
		case string:
			i, is := at.(int64)
			if !is || i < 0 || i >= int64(len(v)) {
				return nil, fmt.Errorf("index out of range: %v", at)
			}
			value = int64(v[i])
		default:
			return nil, fmt.Errorf("can't index item of type %T", value)
		}
	}
	return value, nil
}

// slice cuts a string or a list.
func slice(args []any) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("want a value")
	}
	whole, err := length(args[0])
	if err != nil {
		return nil, err
	}
	from, to := int64(0), whole.(int64)
	for i, bound := range []*int64{&from, &to} {
		if len(args) > i+1 {
			n, is := args[i+1].(int64)
			if !is || n < 0 || n > whole.(int64) {
				return nil, fmt.Errorf("index out of range: %v", args[i+1])
			}
			*bound = n
		}
	}
	if from > to || len(args) > 3 {
		return nil, fmt.Errorf("cannot slice from %d to %d", from, to)
	}
	switch v := args[0].(type) {
	case string:
		return v[from:to], nil
	case []any:
		return v[from:to], nil
	}
	return nil, fmt.Errorf("can't slice item of type %T", args[0])
}

func printf(args []any) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("want a format")
	}
	format, is := args[0].(string)
	if !is {
		return nil, fmt.Errorf("the format is a %T", args[0])
	}
	return fmt.Sprintf(format, args[1:]...), nil
}

// eq is true if the first value equals one of the others.
func eq(args []any) (any, error) {
	if len(args) < 2 {
		return nil, errors.New("missing argument for comparison")
	}
	for _, other := range args[1:] {
		if same, err := equal(args[0], other); err != nil || same {
			return same, err
		}
	}
	return false, nil
}

func equal(a, b any) (bool, error) {
	if a == nil || b == nil {
		return a == nil && b == nil, nil
	}
	if x, is := a.(bool); is {
		if y, is := b.(bool); is {
			return x == y, nil
		}
	}
	n, err := compare(a, b)
	return err == nil && n == 0, err
}

func order(wanted func(int) bool) func([]any) (any, error) {
	return two(func(a, b any) (any, error) {
		n, err := compare(a, b)
		return err == nil && wanted(n), err
	})
}

// compare orders two texts, or two numbers of any kind.
func compare(a, b any) (int, error) {
	if x, is := a.(string); is {
		if y, is := b.(string); is {
			return cmp.Compare(x, y), nil
		}
	}
	if x, is := a.(int64); is {
		if y, is := b.(int64); is {
			return cmp.Compare(x, y), nil
		}
	}
	x, first := float(a)
	y, second := float(b)
	if !first || !second {
		return 0, fmt.Errorf("incompatible types for comparison: %T and %T", a, b)
	}
	return cmp.Compare(x, y), nil
}

func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
