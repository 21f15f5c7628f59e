package crdschema

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Schema is what a CRD says of a field; nil where it says nothing.
type Schema struct {
	fields map[string]any
	in     string
}

// New takes a schema of OpenAPI, with whole numbers as int64. In names the version, such as "HyperConverged of
// hco.kubevirt.io/v1beta1".
func New(fields map[string]any, in string) *Schema { return &Schema{fields, in} }

// below is the schema of a field; nil where any is allowed. known is false where the field is not.
func (s *Schema) below(key string) (field *Schema, known bool) {
	properties, _ := s.fields["properties"].(map[string]any)
	if of, ok := properties[key].(map[string]any); ok {
		return &Schema{of, s.in}, true
	}
	switch more := s.fields["additionalProperties"].(type) {
	case map[string]any:
		return &Schema{more, s.in}, true
	case bool:
		return nil, more
	}
	open, _ := s.fields["x-kubernetes-preserve-unknown-fields"].(bool)
	return nil, open || len(properties) == 0
}

// items is the schema of a list's elements.
func (s *Schema) items() *Schema {
	items, _ := s.fields["items"].(map[string]any)
	return &Schema{items, s.in}
}

// At is the schema of a path; nil where the CRD does not say.
func (s *Schema) At(path []string) *Schema {
	for _, key := range path {
		if s == nil {
			return nil
		}
		s, _ = s.below(key)
	}
	return s
}

// Joins reports whether a list is one of several managers.
func (s *Schema) Joins() bool {
	return s != nil && slices.Contains([]string{"map", "set"}, s.text("x-kubernetes-list-type"))
}

func (s *Schema) text(key string) string {
	text, _ := s.fields[key].(string)
	return text
}

func (s *Schema) is(key string) bool {
	yes, _ := s.fields[key].(bool)
	return yes
}

// Holds reports whether a value has what is wanted: all of it, of lists that several managers share the items.
func (s *Schema) Holds(now, wanted any) bool {
	want, isList := wanted.([]any)
	have, wasList := now.([]any)
	if !isList || !wasList || !s.Joins() {
		return reflect.DeepEqual(now, wanted)
	}
	for _, item := range want {
		if !slices.ContainsFunc(have, func(other any) bool { return contains(other, item) }) {
			return false
		}
	}
	return true
}

// contains reports whether an item of a shared list has what is wanted of it.
func contains(now, wanted any) bool {
	want, isMap := wanted.(map[string]any)
	have, wasMap := now.(map[string]any)
	if !isMap || !wasMap {
		return reflect.DeepEqual(now, wanted)
	}
	for key, value := range want {
		if !contains(have[key], value) {
			return false
		}
	}
	return true
}

// Defaulted is a copy of a value with what an API server fills in before it looks at it. Null is as nothing.
func (s *Schema) Defaulted(value any) any {
	if s == nil {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range value {
			if field, _ := s.below(key); inner != nil || field != nil && field.is("nullable") {
				out[key] = field.Defaulted(inner)
			}
		}
		properties, _ := s.fields["properties"].(map[string]any)
		for key := range properties {
			field, _ := s.below(key)
			if usual, has := field.fields["default"]; has && out[key] == nil {
				out[key] = field.Defaulted(runtime.DeepCopyJSONValue(usual))
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = s.items().Defaulted(value[i])
		}
		return out
	}
	return value
}
