package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
)

// Validate returns what is wrong with a JSON document, one sentence each, such as "/steps/0/state: is not one of ...".
//
// It is stricter than a reader of the document has to be: a property that the schema does not describe is wrong, unless
// additionalProperties says otherwise. So nothing gets into an output that its schema does not tell of, while the schema itself lets later
// versions add properties.
func (s *Schema) Validate(document []byte) []string {
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		return []string{"the document is not JSON: " + err.Error()}
	}
	return s.check(s.root, "", v)
}

// ValidateLines returns what is wrong with a stream of JSON documents, one a line. An empty stream is wrong.
func (s *Schema) ValidateLines(stream []byte) []string {
	var out []string
	lines := strings.Split(strings.TrimSuffix(string(stream), "\n"), "\n")
	for i, line := range lines {
		for _, p := range s.Validate([]byte(line)) {
			out = append(out, fmt.Sprintf("line %d: %s", i+1, p))
		}
	}
	return out
}

func (s *Schema) check(n *node, at string, v any) []string {
	n = s.resolve(n)
	wrong := func(format string, args ...any) []string {
		where := at
		if where == "" {
			where = "the document"
		}
		return []string{where + " " + fmt.Sprintf(format, args...)}
	}
	if len(n.OneOf) > 0 {
		return s.oneOf(n, at, v)
	}
	if len(n.Type) > 0 && !slices.ContainsFunc(n.Type, func(t string) bool { return is(t, v) }) {
		return wrong("is not of type %s: %s", strings.Join(n.Type, " or "), short(v))
	}
	if n.Const != nil && !reflect.DeepEqual(n.Const, v) {
		return wrong("is %s, not %s", short(v), short(n.Const))
	}
	if len(n.Enum) > 0 && !slices.ContainsFunc(n.Enum, func(e any) bool { return reflect.DeepEqual(e, v) }) {
		return wrong("is %s, not one of %s", short(v), short(n.Enum))
	}
	switch v := v.(type) {
	case string:
		if n.Pattern != "" && !regexp.MustCompile(n.Pattern).MatchString(v) {
			return wrong("does not match %s: %s", n.Pattern, short(v))
		}
		if _, err := time.Parse(time.RFC3339, v); n.Format == "date-time" && err != nil {
			return wrong("is not a time as in RFC 3339: %s", short(v))
		}
	case float64:
		if n.Minimum != nil && v < *n.Minimum {
			return wrong("is %s, less than %s", short(v), short(*n.Minimum))
		}
	case []any:
		var out []string
		for i := range v {
			if n.Items != nil {
				out = append(out, s.check(n.Items, fmt.Sprintf("%s/%d", at, i), v[i])...)
			}
		}
		return out
	case map[string]any:
		return s.object(n, at, v, wrong)
	}
	return nil
}

func (s *Schema) object(n *node, at string, v map[string]any, wrong func(string, ...any) []string) []string {
	var out []string
	for _, name := range n.Required {
		if _, ok := v[name]; !ok {
			out = append(out, wrong("lacks %s", name)...)
		}
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		sub := n.Properties[name]
		switch more := n.AdditionalProperties; {
		case sub != nil:
		case more == nil && n.Properties == nil, more != nil && more.allowed && more.each == nil:
			continue
		case more != nil && more.each != nil:
			sub = more.each
		default:
			out = append(out, wrong("has %s, which the schema does not describe", name)...)
			continue
		}
		out = append(out, s.check(sub, at+"/"+name, v[name])...)
	}
	return out
}

// oneOf tells what is wrong by the alternative whose constants fit, where there is one.
func (s *Schema) oneOf(n *node, at string, v any) []string {
	fits := 0
	var nearest []string
	for _, sub := range n.OneOf {
		problems := s.check(sub, at, v)
		switch {
		case len(problems) == 0:
			fits++
		case nearest == nil || len(problems) < len(nearest):
			nearest = problems
		}
	}
	switch fits {
	case 1:
		return nil
	case 0:
		return append([]string{at + " fits none of oneOf; the nearest says:"}, nearest...)
	}
	return []string{fmt.Sprintf("%s fits %d of oneOf", at, fits)}
}

func is(t string, v any) bool {
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case float64:
		return t == "number" || t == "integer" && v == float64(int64(v))
	case []any:
		return t == "array"
	default:
		return t == "object"
	}
}

// short is a value for a message, cut where it is long.
func short(v any) string {
	data, _ := json.Marshal(v)
	const most = 200
	if len(data) > most {
		return string(data[:most]) + "..."
	}
	return string(data)
}
