package crdschema

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Fields has the built-in fields of each kind by release, keyed by a name of the kind. A field comes before its
// children.
type Fields map[string][]Row

// Row is one field in some releases.
type Row struct {
	// Path is the path of the field in the object: names, "[]" for the elements of a list, "{}" for the values of a map.
	Path []string `json:"path"`
	// In has ranges of releases, both ends included. Releases are numbered as package openshift numbers minors.
	In       [][2]int `json:"in"`
	Required bool     `json:"required,omitempty"`
	// Is is the schema of the field without its children.
	Is map[string]any `json:"is"`
}

func (r Row) has(release int) bool {
	return slices.ContainsFunc(r.In, func(span [2]int) bool { return span[0] <= release && release <= span[1] })
}

// Unpack decompresses the built-in fields. It panics if they are invalid.
func Unpack(packed []byte) Fields {
	var all Fields
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err)
	}
	data, err := io.ReadAll(zipped)
	if err == nil {
		err = utiljson.Unmarshal(data, &all)
	}
	if err != nil {
		panic(err)
	}
	return all
}

// Span returns the first and the newest release whose fields of a kind are known.
func (f Fields) Span(kind string) (first, newest int) {
	var spans [][2]int
	for _, row := range f[kind] {
		if len(row.Path) == 1 {
			spans = append(spans, row.In...)
		}
	}
	for i, span := range spans {
		if i == 0 {
			first, newest = span[0], span[1]
		}
		first, newest = min(first, span[0]), max(newest, span[1])
	}
	return first, newest
}

// Of returns the schema of a kind's spec in a release, or nil if that release is not known. in is the name for
// messages, as in New.
func (f Fields) Of(kind string, release int, in string) *Schema {
	root := map[string]any{}
	for _, row := range f[kind] {
		if row.has(release) {
			row.place(root)
		}
	}
	spec, known := child(root, "spec")["spec"].(map[string]any)
	if !known {
		return nil
	}
	return New(spec, in)
}

// child returns the map that contains the schema of the named child.
func child(of map[string]any, name string) map[string]any {
	if name == "[]" || name == "{}" {
		return of
	}
	properties, _ := of["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
		of["properties"] = properties
	}
	return properties
}

func key(name string) string {
	switch name {
	case "[]":
		return "items"
	case "{}":
		return "additionalProperties"
	}
	return name
}

func (r Row) place(root map[string]any) {
	at := root
	last := len(r.Path) - 1
	for _, name := range r.Path[:last] {
		at, _ = child(at, name)[key(name)].(map[string]any)
	}
	name := r.Path[last]
	child(at, name)[key(name)] = maps.Clone(r.Is)
	if r.Required {
		required, _ := at["required"].([]any)
		at["required"] = append(required, name)
	}
}
