package crdschema

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Schema is the CRD's schema of a field; nil if the CRD allows any value.
type Schema struct {
	fields map[string]any
	in     string
}

// New returns a Schema from an OpenAPI schema with integers as int64. in names the version in messages, such as
// "HyperConverged of hco.kubevirt.io/v1beta1".
func New(fields map[string]any, in string) *Schema { return &Schema{fields, in} }

// property returns the schema of a field; nil if it allows any value. known is false if the field does not exist.
func (s *Schema) property(key string) (field *Schema, known bool) {
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

// items returns the schema of a list's elements.
func (s *Schema) items() *Schema {
	items, _ := s.fields["items"].(map[string]any)
	return &Schema{items, s.in}
}

// At returns the schema of a path; nil if the CRD does not define it.
func (s *Schema) At(path []string) *Schema {
	for _, key := range path {
		if s == nil {
			return nil
		}
		s, _ = s.property(key)
	}
	return s
}

// Joins reports whether the items of a list can have several field managers (list type map or set).
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

// Holds reports whether a value equals wanted. A list with several field managers only needs to contain the wanted
// items.
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

// contains reports whether a list item has the wanted fields.
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

// Defaulted returns a copy of a value with the defaults that an API server sets before validation. Null counts as
// absent.
func (s *Schema) Defaulted(value any) any {
	if s == nil {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range value {
			if field, _ := s.property(key); inner != nil || field != nil && field.is("nullable") {
				out[key] = field.Defaulted(inner)
			}
		}
		properties, _ := s.fields["properties"].(map[string]any)
		for key := range properties {
			field, _ := s.property(key)
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
