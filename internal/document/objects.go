package document

import (
	"encoding/json"
	"fmt"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Object is a Kubernetes object in a document.
type Object struct {
	// Fields are the fields of the object, with integers as int64.
	Fields map[string]any
	// Line is the line in which it begins, and Path its place in the document, such as "items[2]"; "" for the whole
	// document.
	Line int
	Path string
	Document
}

// LineOf returns the line of a field of the object, like Document.LineOf.
func (o Object) LineOf(path string) int {
	if o.Path != "" && path != "" && !strings.HasPrefix(path, "[") {
		path = "." + path
	}
	return o.Document.LineOf(o.Path + path)
}

// asDocument returns the object as a separate document, with lines of the file.
func (o Object) asDocument() Document {
	data, _ := json.Marshal(o.Fields) // Fields were decoded from JSON
	d := Document{Line: o.Line, JSON: data, Root: o.Root}
	if o.Path != "" {
		d.Root = o.at(o.Path)
	}
	return d
}

// Decode decodes the object like Document.Decode.
func (o Object) Decode(into any) error { return o.asDocument().Decode(into) }

// Loose decodes the object like Document.Loose.
func (o Object) Loose(into any) error { return o.asDocument().Loose(into) }

// Unknown returns the fields of the object that a value does not have.
func (o Object) Unknown(into any) []string { return o.asDocument().Unknown(into) }

// Objects returns the object of the document, or the items of a List.
func (d Document) Objects() ([]Object, error) {
	var fields map[string]any
	if err := utiljson.Unmarshal(d.JSON, &fields); err != nil {
		return nil, d.typeError(err)
	}
	return d.objects(wholeNumbers(fields).(map[string]any), "")
}

// wholeNumbers converts floats with an integer value to int64, like the API server: 2E0 is 2.
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
		if _, has := inner["kind"]; !has && kind != "List" { // lists of the API server may omit them
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
