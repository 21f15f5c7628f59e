package document

import (
	"encoding/json"
	"fmt"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Object is an object of Kubernetes in a document.
type Object struct {
	// Fields are those of the object, with whole numbers as int64.
	Fields map[string]any
	// Line is that in which it begins, and Path the place in its document, such as "items[2]"; empty for the whole.
	Line int
	Path string
	Document
}

// LineOf is the line of a field of the object, as Document.LineOf has it.
func (o Object) LineOf(path string) int {
	if o.Path != "" && path != "" && !strings.HasPrefix(path, "[") {
		path = "." + path
	}
	return o.Document.LineOf(o.Path + path)
}

// whole is the object as a document of its own, in which lines are those of the file.
func (o Object) whole() Document {
	data, _ := json.Marshal(o.Fields) // it was read from JSON
	d := Document{Line: o.Line, JSON: data, Root: o.Root}
	if o.Path != "" {
		d.Root = o.at(o.Path)
	}
	return d
}

// Decode reads the object as Document.Decode does.
func (o Object) Decode(into any) error { return o.whole().Decode(into) }

// Loose reads the object as Document.Loose does.
func (o Object) Loose(into any) error { return o.whole().Loose(into) }

// Unknown are the fields of the object that a value has no place for.
func (o Object) Unknown(into any) []string { return o.whole().Unknown(into) }

// Objects is the object that the document is, or the items of a List.
func (d Document) Objects() ([]Object, error) {
	var fields map[string]any
	if err := utiljson.Unmarshal(d.JSON, &fields); err != nil {
		return nil, d.mistyped(err)
	}
	return d.objects(wholeNumbers(fields).(map[string]any), "")
}

// wholeNumbers writes those that JSON has with a point or an exponent as the API server does: 2E0 is 2.
func wholeNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = wholeNumbers(value)
		}
	case []any:
		for i, value := range v {
			v[i] = wholeNumbers(value)
		}
	case float64:
		if n := int64(v); float64(n) == v && n < 1<<53 && n > -1<<53 {
			return n
		}
	}
	return v
}

func (d Document) objects(fields map[string]any, path string) ([]Object, error) {
	line := d.LineOf(path)
	version, _ := fields["apiVersion"].(string)
	kind, _ := fields["kind"].(string)
	if version == "" || kind == "" {
		return nil, errorAt(line, "apiVersion or kind is missing")
	}
	items, listed := fields["items"].([]any)
	if !strings.HasSuffix(kind, "List") || !listed {
		return []Object{{Fields: fields, Line: line, Path: path, Document: d}}, nil
	}
	var all []Object
	for i, item := range items {
		at := strings.TrimPrefix(fmt.Sprintf("%s.items[%d]", path, i), ".")
		inner, is := item.(map[string]any)
		if !is {
			return nil, errorAt(d.LineOf(at), "this item is no object")
		}
		if _, has := inner["kind"]; !has && kind != "List" { // as the API server's own lists may have it
			inner["apiVersion"], inner["kind"] = version, strings.TrimSuffix(kind, "List")
		}
		found, err := d.objects(inner, at)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
