package crdschema

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Fields are those of kinds by release, as they are built in: by a name of the kind, each before those below it.
type Fields map[string][]Row

// Row is one field in some releases.
type Row struct {
	// Path is the field's place below the object: names, "[]" for the elements of a list, "{}" for the values of a map.
	Path []string `json:"path"`
	// In are spans of releases, the last ones included. Releases are numbered as package openshift numbers minors.
	In       [][2]int `json:"in"`
	Required bool     `json:"required,omitempty"`
	// Is is its schema without those below it.
	Is map[string]any `json:"is"`
}

func (r Row) has(release int) bool {
	return slices.ContainsFunc(r.In, func(span [2]int) bool { return span[0] <= release && release <= span[1] })
}

// Unpack reads what is built in. It panics where that cannot be read.
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

// Span returns the first and the newest release of which fields of a kind are known.
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

// Of is the schema of the spec of a kind in a release; nil where that release of it is not known. In names it, as New
// has it.
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

// child is the map in which a schema has the part of that name.
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
