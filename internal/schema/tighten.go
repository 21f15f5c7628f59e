package schema

import (
	"fmt"
	"maps"
	"slices"
)

// keywords are the allowed keywords. Validators ignore unknown ones, so a misspelled one would have no effect.
var keywords = []string{
	"$schema", "$id", "$ref", "$defs", "title", "description", "type", "properties", "required", "additionalProperties",
	"items", "enum", "const", "pattern", "format", "minimum", "oneOf",
}

// tighten forbids undescribed properties, unless the schema sets additionalProperties. It returns an error for each
// keyword without effect.
func tighten(at string, part any) []error {
	n, ok := part.(map[string]any)
	if !ok {
		return nil // true or false
	}
	var out []error
	for _, keyword := range slices.Sorted(maps.Keys(n)) {
		if !slices.Contains(keywords, keyword) {
			out = append(out, fmt.Errorf("%s: unknown keyword %q", at, keyword))
		}
	}
	if format, ok := n["format"]; ok && format != "date-time" {
		out = append(out, fmt.Errorf("%s: unknown format %q", at, format))
	}
	properties, described := n["properties"].(map[string]any)
	required, _ := n["required"].([]any)
	for _, name := range required {
		if name, _ := name.(string); properties[name] == nil {
			out = append(out, fmt.Errorf("%s: %q is required and not described", at, name))
		}
	}
	if _, ok := n["additionalProperties"]; described && !ok {
		n["additionalProperties"] = false
	}
	for _, group := range []string{"properties", "$defs"} {
		parts, _ := n[group].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			out = append(out, tighten(at+"/"+group+"/"+name, parts[name])...)
		}
	}
	alternatives, _ := n["oneOf"].([]any)
	for i, alternative := range alternatives {
		out = append(out, tighten(fmt.Sprintf("%s/oneOf/%d", at, i), alternative)...)
	}
	return slices.Concat(out, tighten(at+"/items", n["items"]),
		tighten(at+"/additionalProperties", n["additionalProperties"]))
}
