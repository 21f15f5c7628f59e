package cli

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// brokenSchema says what differs between two JSON schemas for those who depend on the old one. Of output they read what
// was there; of input (files of the user's) they write what was allowed.
func brokenSchema(at string, was, is map[string]any, input bool) []string {
	was, is = resolved(was, was), resolved(is, is)
	return compareSchemas(at, side{was, was}, side{is, is}, input, 0)
}

// side is a schema, and the document that its references lead into.
type side struct{ schema, root map[string]any }

// most is how deep a schema is read: those of node trees contain themselves.
const most = 12

func compareSchemas(at string, was, is side, input bool, depth int) []string {
	was.schema, is.schema = resolved(was.schema, was.root), resolved(is.schema, is.root)
	if depth > most {
		return nil
	}
	var out []string
	for _, key := range []string{"type", "const", "format"} {
		if old, ok := was.schema[key]; ok && !reflect.DeepEqual(old, is.schema[key]) && !widened(old, is.schema[key], input) {
			out = append(out, fmt.Sprintf("%s: %s was %v and is %v", at, key, old, orNone(is.schema[key])))
		}
	}
	if input {
		// What was allowed has to stay allowed.
		for _, value := range manyOf(was.schema["enum"]) {
			if values := manyOf(is.schema["enum"]); len(values) > 0 && !slices.Contains(values, value) {
				out = append(out, fmt.Sprintf("%s: %v is not allowed any more", at, value))
			}
		}
		for _, name := range manyOf(is.schema["required"]) {
			if !slices.Contains(manyOf(was.schema["required"]), name) {
				out = append(out, fmt.Sprintf("%s: %v is required now", at, name))
			}
		}
	} else {
		// What was always there has to stay always there. New values of a list that the schema closes are news to readers.
		for _, name := range manyOf(was.schema["required"]) {
			if !slices.Contains(manyOf(is.schema["required"]), name) {
				out = append(out, fmt.Sprintf("%s: %v is not always there any more", at, name))
			}
		}
	}
	properties, now := schemaOf(was.schema["properties"]), schemaOf(is.schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if now[name] == nil {
			out = append(out, fmt.Sprintf("%s.%s is gone", at, name))
			continue
		}
		out = append(out, compareSchemas(at+"."+name, side{schemaOf(properties[name]), was.root},
			side{schemaOf(now[name]), is.root}, input, depth+1)...)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if old := schemaOf(was.schema[key]); old != nil && schemaOf(is.schema[key]) != nil {
			out = append(out, compareSchemas(at+"[]", side{old, was.root}, side{schemaOf(is.schema[key]), is.root},
				input, depth+1)...)
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		olds, news := manyOf(was.schema[key]), manyOf(is.schema[key])
		for i, old := range olds {
			if i >= len(news) {
				out = append(out, fmt.Sprintf("%s: a form of %s is gone", at, key))
				break
			}
			out = append(out, compareSchemas(fmt.Sprintf("%s<%d>", at, i), side{schemaOf(old), was.root},
				side{schemaOf(news[i]), is.root}, input, depth+1)...)
		}
	}
	return out
}

// widened reports whether input may have further types now; output may have fewer.
func widened(was, is any, input bool) bool {
	wide, narrow := typesOf(is), typesOf(was)
	if !input {
		wide, narrow = narrow, wide
	}
	if len(wide) == 0 || len(narrow) == 0 {
		return false
	}
	for _, kind := range narrow {
		if !slices.Contains(wide, kind) {
			return false
		}
	}
	return true
}

func typesOf(v any) []any {
	if many := manyOf(v); many != nil {
		return many
	}
	if v == nil {
		return nil
	}
	return []any{v}
}

func orNone(v any) any {
	if v == nil {
		return "none"
	}
	return v
}

// resolved follows a reference within the document.
func resolved(schema, root map[string]any) map[string]any {
	for range most {
		ref, ok := schema["$ref"].(string)
		if !ok || !strings.HasPrefix(ref, "#") {
			return schema
		}
		at := root
		for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
			if part != "" {
				at = schemaOf(at[part])
			}
		}
		schema = at
	}
	return schema
}

func schemaOf(v any) map[string]any { m, _ := v.(map[string]any); return m }
func manyOf(v any) []any            { l, _ := v.([]any); return l }

// TestIncompatibleChangesAreFound changes a command line and schemas in every way that breaks scripts, and in ways that
// do not.
func TestIncompatibleChangesAreFound(t *testing.T) {
	old := `{"commands": {"hcctl a": {"aliases": ["b"], "flags": {"x": {"type": "string", "default": "1", "short": "x"}}},
		"hcctl gone": {"deprecated": "use a", "flags": {}}}, "exitCodes": {"0": "done"}}`
	schema := `{"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "enum": ["v", "w"]},
		"l": {"type": "array", "items": {"$ref": "#/$defs/item"}}}, "$defs": {"item": {"type": "object", "properties":
		{"n": {"type": "integer"}}}}}`
	for _, tt := range []struct {
		name, file, old, from, to string
		want                      []string
	}{
		{"nothing", "commands.json", old, "", "", nil},
		{"a deprecated command goes", "commands.json", old, `"hcctl gone"`, `"hcctl new"`, nil},
		{"a command goes", "commands.json", old, `"hcctl a"`, `"hcctl c"`,
			[]string{"hcctl a is gone and was not deprecated"}},
		{"an alias goes", "commands.json", old, `["b"]`, `[]`, []string{"hcctl a has no alias b"}},
		{"a flag goes", "commands.json", old, `"x": {"type"`, `"y": {"type"`,
			[]string{"hcctl a --x is gone and was not deprecated"}},
		{"a type", "commands.json", old, `"type": "string"`, `"type": "int"`,
			[]string{`hcctl a --x: the type was "string" and is "int"`}},
		{"a default", "commands.json", old, `"default": "1"`, `"default": "2"`,
			[]string{`hcctl a --x: the default was "1" and is "2"`}},
		{"a short form", "commands.json", old, `"short": "x"`, `"short": "y"`,
			[]string{`hcctl a --x: the short form was "x" and is "y"`}},
		{"an exit code", "commands.json", old, `"0": "done"`, `"0": "failed", "7": "new"`,
			[]string{`exit code 0 meant "done" and means "failed"`}},
		{"output: a field comes", "output-a.json", schema, `"l": {`, `"new": {"type": "string"}, "l": {`, nil},
		{"output: a field goes", "output-a.json", schema, `"l": {`, `"m": {`, []string{"output-a.l is gone"}},
		{"output: a field that was always there", "output-a.json", schema, `"required": ["a"]`, `"required": []`,
			[]string{"output-a: a is not always there any more"}},
		{"output: a field is always there", "output-a.json", schema, `"required": ["a"]`, `"required": ["a", "l"]`, nil},
		{"output: a type within a reference", "output-a.json", schema, `"n": {"type": "integer"}`, `"n": {"type": "string"}`,
			[]string{"output-a.l[].n: type was integer and is string"}},
		{"output: null comes", "output-a.json", schema, `"a": {"type": "string"`, `"a": {"type": ["string", "null"]`,
			[]string{"output-a.a: type was string and is [string null]"}},
		{"file: null comes", "file-a.json", schema, `"a": {"type": "string"`, `"a": {"type": ["string", "null"]`, nil},
		{"file: a value goes", "file-a.json", schema, `["v", "w"]`, `["v"]`, []string{"file-a.a: w is not allowed any more"}},
		{"file: a value comes", "file-a.json", schema, `["v", "w"]`, `["v", "w", "x"]`, nil},
		{"file: a field is required", "file-a.json", schema, `"required": ["a"]`, `"required": ["a", "l"]`,
			[]string{"file-a: l is required now"}},
		{"file: a field goes", "file-a.json", schema, `"l": {`, `"m": {`, []string{"file-a.l is gone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(tt.old, tt.from, tt.to, 1)
			if changed == tt.old && tt.from != "" {
				t.Fatal("nothing was changed")
			}
			if diff := cmp.Diff(tt.want, compare(t, tt.file, []byte(tt.old), []byte(changed))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"output-a.json is gone"}, compare(t, "output-a.json", []byte(schema), nil)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
