package crdschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/suggest"
)

// Problem is an invalid field.
type Problem struct {
	// Path is the path below the checked value, such as "compute.cores" or "taints[0].key".
	Path, Detail string
	// Unknown is set if the schema has no such field. Value is then the given value.
	Unknown bool
	Value   any
}

// Misfits returns unknown fields, values of a wrong type, and values that are not in the enum. The value may be a part
// of an object.
func (s *Schema) Misfits(value any) []Problem {
	w := walk{}
	w.value(s, value, "")
	return w.found
}

// Problems returns why an API server rejects a complete value: misfits, missing required fields, bounds, patterns, and
// CEL rules. Rules about the old object and rules with functions that this package does not implement are skipped.
func (s *Schema) Problems(value any) []Problem {
	w := walk{whole: true}
	w.value(s, s.Defaulted(value), "")
	return w.found
}

type walk struct {
	whole bool
	found []Problem
}

func (w *walk) addProblem(path, format string, args ...any) {
	w.found = append(w.found, Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
}

func (w *walk) value(s *Schema, value any, path string) {
	if s == nil || len(s.fields) == 0 || value == nil && s.is("nullable") {
		return
	}
	before := len(w.found)
	if s.is("x-kubernetes-int-or-string") {
		w.checkType(path, value, "a number or text", isText(value) || isInteger(value))
	} else {
		switch s.text("type") {
		case "object":
			w.object(s, value, path)
		case "array":
			w.list(s, value, path)
		case "string":
			w.checkType(path, value, "text", isText(value))
		case "integer":
			w.checkType(path, value, "a whole number", isInteger(value))
		case "number":
			_, fraction := value.(float64)
			w.checkType(path, value, "a number", fraction || isInteger(value))
		case "boolean":
			_, ok := value.(bool)
			w.checkType(path, value, "true or false", ok)
		}
	}
	if len(w.found) == before {
		w.oneOf(s, value, path)
	}
	if w.whole && len(w.found) == before {
		w.bounds(s, value, path)
		w.rules(s, value, path)
	}
}

func (w *walk) object(s *Schema, value any, path string) {
	fields, ok := value.(map[string]any)
	if w.checkType(path, value, "fields", ok); !ok {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		property, known := s.property(key)
		at := strings.TrimPrefix(path+"."+key, ".")
		if !known {
			w.found = append(w.found, Problem{at, s.unknown(key), true, fields[key]})
			continue
		}
		w.value(property, fields[key], at)
	}
	required, _ := s.fields["required"].([]any)
	for _, key := range required {
		if _, has := fields[fmt.Sprint(key)]; w.whole && !has {
			w.addProblem(strings.TrimPrefix(fmt.Sprintf("%s.%v", path, key), "."), "is required")
		}
	}
}

func (w *walk) list(s *Schema, value any, path string) {
	list, ok := value.([]any)
	if w.checkType(path, value, "a list", ok); !ok {
		return
	}
	seen := map[string]int{}
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		w.value(s.items(), item, at)
		key, keyed := s.keyOf(item)
		if first, twice := seen[key]; w.whole && keyed && twice {
			w.addProblem(at, "is there twice: %s[%d] is the same one", path, first)
		} else if keyed {
			seen[key] = i
		}
	}
}

// keyOf returns the key that must be unique in the list; keyed is false if the list may have duplicates.
func (s *Schema) keyOf(item any) (key string, keyed bool) {
	switch s.text("x-kubernetes-list-type") {
	case "set":
		data, err := json.Marshal(item)
		return string(data), err == nil
	case "map":
		fields, is := item.(map[string]any)
		keys, _ := s.fields["x-kubernetes-list-map-keys"].([]any)
		var values []any
		for _, k := range keys {
			values = append(values, fields[fmt.Sprint(k)])
		}
		data, err := json.Marshal(values)
		return string(data), is && err == nil
	}
	return "", false
}

func isText(v any) bool { _, ok := v.(string); return ok }

func isInteger(v any) bool { _, ok := v.(int64); return ok }

func (w *walk) checkType(path string, value any, wanted string, ok bool) {
	if !ok {
		w.addProblem(path, "is %s, but has to be %s", formatValue(value), wanted)
	}
}

// unknown returns the message for an unknown field, with a suggestion.
func (s *Schema) unknown(key string) string {
	properties, _ := s.fields["properties"].(map[string]any)
	text := "is not a field of " + s.in
	if words := suggest.Words(key, slices.Sorted(maps.Keys(properties))); len(words) > 0 {
		text += "; did you mean " + strings.Join(words, " or ") + "?"
	}
	return text
}

func (w *walk) oneOf(s *Schema, value any, path string) {
	allowed, _ := s.fields["enum"].([]any)
	if len(allowed) == 0 || slices.ContainsFunc(allowed, func(one any) bool { return reflect.DeepEqual(one, value) }) {
		return
	}
	words := make([]string, len(allowed))
	for i, v := range allowed {
		words[i] = cmp.Or(fmt.Sprint(v), `""`)
	}
	w.addProblem(path, "%s: use one of %s", formatValue(value), strings.Join(words, ", "))
}

// bounds checks lengths, numbers and patterns.
func (w *walk) bounds(s *Schema, value any, path string) {
	at := func(key string) float64 {
		switch n := s.fields[key].(type) {
		case int64:
			return float64(n)
		case float64:
			return n
		}
		return math.NaN() // every comparison is false
	}
	number := func(is float64, unit, low, high string) {
		if limit := at(low); is < limit {
			w.addProblem(path, "is %v%s, and has to be %v at least", is, unit, limit)
		}
		if limit := at(high); is > limit {
			w.addProblem(path, "is %v%s, and may be %v at most", is, unit, limit)
		}
	}
	switch v := value.(type) {
	case string:
		number(float64(utf8.RuneCountInString(v)), " characters long", "minLength", "maxLength")
		if pattern := s.text("pattern"); pattern != "" {
			if re, err := regexp.Compile(pattern); err == nil && !re.MatchString(v) {
				w.addProblem(path, "%q has to match %s", v, pattern)
			}
		}
	case int64:
		number(float64(v), "", "minimum", "maximum")
		if s.text("format") == "int32" && int64(int32(v)) != v { //nolint:gosec // the overflow is what is checked
			w.addProblem(path, "%d is too large: it has 32 bits", v)
		}
	case float64:
		number(v, "", "minimum", "maximum")
	case []any:
		number(float64(len(v)), " items long", "minItems", "maxItems")
	case map[string]any:
		number(float64(len(v)), " fields long", "minProperties", "maxProperties")
	}
}

// rules checks the CEL rules.
func (w *walk) rules(s *Schema, value any, path string) {
	all, _ := s.fields["x-kubernetes-validations"].([]any)
	for _, one := range all {
		of, _ := one.(map[string]any)
		text, _ := of["rule"].(string)
		holds, known := Rule(text, value)
		if pattern, plain := onlyPattern(text); known && !holds && plain {
			w.addProblem(path, "%s has to match %s", formatValue(value), pattern)
		} else if known && !holds {
			w.addProblem(path, "%s", strings.TrimSpace(formatScalar(value)+" breaks a rule of the API: "+text))
		}
	}
}

// formatScalar formats a value, "" for maps and lists.
func formatScalar(v any) string {
	switch v.(type) {
	case map[string]any, []any:
		return ""
	}
	return formatValue(v)
}

// formatValue formats a scalar; for maps and lists it returns their type.
func formatValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
