package config

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// sharedSize is how long an object is at least, as JSON, to get a name in $defs.
const sharedSize = 400

// sharer moves objects that a schema has several times to its $defs. Descriptions and defaults stay where they differ.
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

// count counts each object. What is within one that came before is counted there.
func (s sharer) count(_ string, schema map[string]any) map[string]any {
	key := keyOf(schema)
	if s.times[key]++; s.times[key] == 1 {
		mapParts("", schema, s.count)
	}
	return schema
}

// replace returns a reference where the schema is one that repeats.
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
		// Editors that know older drafts take what stands beside $ref instead of what it leads to.
		out = map[string]any{"type": "object", "allOf": []any{ref, defaults}}
	}
	if text, ok := schema["description"]; ok {
		out["description"] = text
	}
	return out
}

// keyOf is equal for two schemas that differ in their description or in defaults at most.
func keyOf(schema map[string]any) string {
	data, err := json.Marshal(bare(schema))
	if err != nil {
		panic(err) // it holds strings, numbers and maps of them
	}
	return string(data)
}

// bare is a schema without its description and without defaults.
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

// defaultsOf are the defaults of a schema alone; nil if there are none.
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

// mapParts returns a schema whose parts are what f makes of them; a part that f makes nothing of is left out. f gets
// the name of the field that the part describes.
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
