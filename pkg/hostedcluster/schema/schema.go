// Package schema has the fields of HostedClusters and NodePools by release of HyperShift. They are those of package
// contracts, written by its test.
package schema

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube/crdschema"
)

//go:embed fields.json.gz
var packed []byte

// Fields are those of both kinds, as they are packed.
type Fields struct {
	// First and Newest number the minors that were read, as package openshift does.
	First  int `json:"first"`
	Newest int `json:"newest"`
	// Rows are those of each kind, each before those below it.
	Rows map[string][]Row `json:"rows"`
}

// Row is one field in some releases.
type Row struct {
	// Path is the field's place below the object: names, "[]" for the elements of a list, "{}" for the values of a map.
	Path []string `json:"path"`
	// In are spans of minors, the last ones included.
	In       [][2]int `json:"in"`
	Required bool     `json:"required,omitempty"`
	// Is is its schema without those below it.
	Is map[string]any `json:"is"`
}

func (r Row) has(minor int) bool {
	return slices.ContainsFunc(r.In, func(span [2]int) bool { return span[0] <= minor && minor <= span[1] })
}

var fields = sync.OnceValue(func() (all Fields) {
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err) // it is built in
	}
	data, err := io.ReadAll(zipped)
	if err == nil {
		err = utiljson.Unmarshal(data, &all)
	}
	if err != nil {
		panic(err) // it is built in
	}
	return all
})

// Name is that of a minor for a user: "4.20", "4.23 (5.0)".
func Name(minor int) string {
	names := openshift.MinorNames(minor)
	if len(names) > 1 {
		return names[0] + " (" + strings.Join(names[1:], ", ") + ")"
	}
	return names[0]
}

// Newest is the newest minor whose fields are known.
func Newest() int { return fields().Newest }

// Clamp is the minor, or the nearest one whose fields are known.
func Clamp(minor int) int { return min(max(minor, fields().First), fields().Newest) }

// Of is the schema of the spec of a HostedCluster or NodePool in HyperShift of that minor.
func Of(kind string, minor int) *crdschema.Schema {
	root := map[string]any{}
	for _, row := range fields().Rows[kind] {
		if row.has(minor) {
			place(root, row)
		}
	}
	spec, _ := child(root, "spec")["spec"].(map[string]any)
	return crdschema.New(spec, fmt.Sprintf("%s in HyperShift %s", kind, Name(minor)))
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

func place(root map[string]any, row Row) {
	at := root
	last := len(row.Path) - 1
	for _, name := range row.Path[:last] {
		at, _ = child(at, name)[key(name)].(map[string]any)
	}
	name, is := row.Path[last], map[string]any{}
	for k, v := range row.Is {
		is[k] = v
	}
	child(at, name)[key(name)] = is
	if row.Required {
		required, _ := at["required"].([]any)
		at["required"] = append(required, name)
	}
}

var index = lazyregexp.New(`\[\d+\]`)

// Has are the first and the last minor that have a field, given as "spec.taints[0].key"; ok is false where none has.
func Has(kind, path string) (first, last int, ok bool) {
	want := index.Get().ReplaceAllString(path, ".[]")
	for _, row := range fields().Rows[kind] {
		if strings.Join(row.Path, ".") != want {
			continue
		}
		for _, span := range row.In {
			if !ok || span[0] < first {
				first = span[0]
			}
			last, ok = max(last, span[1]), true
		}
	}
	return first, last, ok
}
