package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// durations is what a time looks like, such as 1h30m.
const durations = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

// Schema is the JSON Schema (draft 2020-12) of the document, for editors.
func Schema() ([]byte, error) {
	root := schemaOf(reflect.ValueOf(Default()), "")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "hcctl.yaml"
	root["description"] = "settings of hcctl check and hcctl bootstrap"
	root["required"] = []string{"apiVersion", "kind"}
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

// schemaOf describes the type of v; what v holds is the default.
func schemaOf(v reflect.Value, path string) map[string]any {
	s := map[string]any{}
	field, _ := fieldAt(path)
	if field.Text != "" {
		s["description"] = field.Text
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		s["type"], s["pattern"] = "string", durations
		if d := time.Duration(v.Int()); d != 0 {
			s["default"] = shortly(d)
		}
	case v.Kind() == reflect.Struct:
		properties := map[string]any{}
		for i := range v.NumField() {
			name := v.Type().Field(i).Tag.Get("yaml")
			properties[name] = schemaOf(v.Field(i), join(path, name))
		}
		s["type"], s["properties"], s["additionalProperties"] = "object", properties, false
	case v.Kind() == reflect.Map:
		s["type"], s["additionalProperties"] = "object", schemaOf(reflect.Zero(v.Type().Elem()), join(path, "*"))
	case v.Kind() == reflect.Slice:
		s["type"], s["items"] = "array", map[string]any{"type": "string"}
	case v.Kind() == reflect.Int:
		s["type"], s["minimum"], s["default"] = "integer", 0, v.Int()
	default:
		s["type"] = "string"
		if len(field.Values) > 0 {
			s["enum"] = field.Values
		}
		if v.String() != "" {
			s["default"] = v.String()
		}
	}
	return s
}

func fieldAt(path string) (Field, bool) {
	for _, f := range Fields() {
		if f.Path == path {
			return f, true
		}
	}
	return Field{}, false
}

// shortly writes a time without the zeros of time.Duration.String, such as 1h for 1h0m0s.
func shortly(d time.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
		if hours, ok := strings.CutSuffix(text, "h0m"); ok {
			text = hours + "h"
		}
	}
	return text
}
