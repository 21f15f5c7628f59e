package config

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// sharedSize is the minimum size, in bytes of JSON, of an object that is moved to $defs.
const sharedSize = 400

// sharer moves objects that occur several times in a schema to $defs. Descriptions and defaults stay where they
// differ.
type sharer struct {
	times map[string]int
	names map[string]string
	defs  map[string]any
}

// share returns the schema with its repetitions in $defs.
func share(root map[string]any) map[string]any {
	s := sharer{times: map[string]int{}, names: map[string]string{}, defs: map[string]any{}}
	s.count("", root)
	root = s.replace("", root)
	if len(s.defs) > 0 {
		root["$defs"] = s.defs
	}
	return root
}

// count counts each object. The parts of a repeated object are counted only once.
func (s sharer) count(_ string, schema map[string]any) map[string]any {
	key := keyOf(schema)
	if s.times[key]++; s.times[key] == 1 {
		mapParts("", schema, s.count)
	}
	return schema
}

// replace returns a reference if the schema occurs several times.
func (s sharer) replace(name string, schema map[string]any) map[string]any {
	key := keyOf(schema)
	if s.times[key] < 2 || len(key) < sharedSize || schema["properties"] == nil {
		return mapParts(name, schema, s.replace)
	}
	if s.names[key] == "" {
		for s.defs[name] != nil {
			name += "s"
		}
		s.names[key], s.defs[name] = name, true
		s.defs[name] = mapParts(name, bare(schema), s.replace)
	}
	ref := map[string]any{"$ref": "#/$defs/" + s.names[key]}
	out := ref
	if defaults := defaultsOf("", schema); defaults != nil {
		// Editors with older drafts use the keywords next to $ref instead of the referenced schema.
		out = map[string]any{"type": "object", "allOf": []any{ref, defaults}}
	}
	if text, ok := schema["description"]; ok {
		out["description"] = text
	}
	return out
}

// keyOf returns the same key for two schemas that differ at most in their description or defaults.
func keyOf(schema map[string]any) string {
	data, err := json.Marshal(bare(schema))
	if err != nil {
		panic(err) // bare schemas have only strings, numbers, and maps of these
	}
	return string(data)
}

// bare returns a schema without its description and without defaults.
func bare(schema map[string]any) map[string]any {
	out := withoutDefaults("", schema)
	delete(out, "description")
	return out
}

func withoutDefaults(_ string, schema map[string]any) map[string]any {
	out := mapParts("", schema, withoutDefaults)
	delete(out, "default")
	return out
}

// defaultsOf returns only the defaults of a schema, or nil if there are none.
func defaultsOf(_ string, schema map[string]any) map[string]any {
	out := mapParts("", schema, defaultsOf)
	maps.DeleteFunc(out, func(key string, value any) bool {
		part, within := value.(map[string]any)
		return key != "default" && (!within || len(part) == 0)
	})
	if len(out) == 0 {
		return nil
	}
	return out
}

// mapParts returns a schema with each part replaced by the result of f; a part with a nil result is left out. f
// gets the name of the field that the part describes.
func mapParts(name string, schema map[string]any, f func(string, map[string]any) map[string]any) map[string]any {
	out := maps.Clone(schema)
	if properties, ok := schema["properties"].(map[string]any); ok {
		made := map[string]any{}
		for _, field := range slices.Sorted(maps.Keys(properties)) {
			if part := f(field, properties[field].(map[string]any)); part != nil {
				made[field] = part
			}
		}
		out["properties"] = made
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if part, ok := schema[key].(map[string]any); ok {
			delete(out, key)
			if part = f(strings.TrimSuffix(name, "s"), part); part != nil {
				out[key] = part
			}
		}
	}
	return out
}
