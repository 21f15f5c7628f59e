package config

import (
	"encoding/json"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// durations matches a duration such as 1h30m.
const durations = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

// Schema returns the JSON Schema (draft 2020-12) of the documents of a kind, for editors. It panics on a kind
// that is not one of Kinds.
func Schema(kind string) ([]byte, error) {
	d := describers()[kind]
	root := d.fields.schemaOf(reflect.ValueOf(d.defaults), "")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = d.title
	root["description"] = d.text
	root["required"] = []string{"apiVersion", "kind"}
	data, err := json.MarshalIndent(share(root), "", "  ")
	return append(data, '\n'), err
}

// describer holds the inputs for the schema of one kind.
type describer struct {
	title, text string
	fields      table
	defaults    any
}

func describers() map[string]describer {
	cluster := clusterDocument{APIVersion: APIVersion, Kind: KindCluster, clusterBody: newBody()}
	fleet := fleetDocument{APIVersion: APIVersion, Kind: KindFleet,
		Defaults: fleetDefaults{clusterBody: newBody(), NodePool: options.DefaultNodePool()}}
	return map[string]describer{
		Kind:        {"hcctl.yaml", "settings of hcctl check and hcctl bootstrap", Fields(), Default()},
		KindCluster: {"Cluster", "a hosted cluster, for hcctl create cluster", clusterFields(options.Fields()), cluster},
		KindFleet:   {"Fleet", "hosted clusters, for hcctl apply", fleetFields(), fleet},
	}
}

// schemaOf describes the type of v; the value of v is the default.
func (t table) schemaOf(v reflect.Value, path string) map[string]any {
	s := t.typeOf(v, path)
	for _, later := range []string{"environments.", "clusters[0].metadata.", "clusters[0].spec.",
		"defaults.spec.nodePools"} {
		if strings.HasPrefix(path, later) {
			delete(s, "default") // unset fields have the defaults of the Fleet here
		}
	}
	return s
}

func (t table) typeOf(v reflect.Value, path string) map[string]any {
	s := map[string]any{}
	field, _ := t.at(path)
	if field.Text != "" {
		s["description"] = field.Text
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		s["type"], s["pattern"] = "string", durations
		if d := time.Duration(v.Int()); d != 0 {
			s["default"] = shortly(d)
		}
	case v.Type() == reflect.TypeFor[*prereq.Settings]():
		s["type"] = "object"
	case v.Type() == reflect.TypeFor[options.File]():
		if s["type"] = "string"; field.Inline {
			s["type"] = []string{"string", "object", "array"}
		}
	case v.Kind() == reflect.Struct:
		properties := map[string]any{}
		known := t.children(path)
		for name, value := range fieldsOf(v) {
			if slices.Contains(known, name) {
				properties[name] = t.schemaOf(value, join(path, name))
			}
		}
		s["type"], s["properties"], s["additionalProperties"] = "object", properties, false
	case v.Kind() == reflect.Map:
		s["type"], s["additionalProperties"] = "object", t.schemaOf(reflect.Zero(v.Type().Elem()), join(path, "*"))
	case v.Kind() == reflect.Slice:
		item := reflect.Zero(v.Type().Elem())
		if v.Type() == reflect.TypeFor[[]options.NodePool]() {
			item = reflect.ValueOf(options.DefaultNodePool())
		}
		of := t.schemaOf(item, path+"[0]")
		delete(of, "description") // the list has the same description
		s["type"], s["items"] = "array", of
		if words, ok := v.Interface().(options.List); ok && len(words) > 0 {
			s["default"] = words
		}
	case v.Kind() == reflect.Int || v.Kind() == reflect.Int32:
		s["type"], s["minimum"], s["default"] = "integer", 0, v.Int()
	case v.Kind() == reflect.Bool:
		s["type"], s["default"] = "boolean", v.Bool()
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

// fieldsOf yields the fields of a struct by their names in a document, in the order of the struct. Fields of
// embedded structs are included.
func fieldsOf(v reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for i := range v.NumField() {
			t := v.Type().Field(i)
			if t.Anonymous {
				for name, value := range fieldsOf(v.Field(i)) {
					if !yield(name, value) {
						return
					}
				}
				continue
			}
			if name := t.Tag.Get("yaml"); name != "" && name != "-" && !yield(name, v.Field(i)) {
				return
			}
		}
	}
}

// shortly returns a duration without trailing zero units, such as 1h for 1h0m0s.
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
