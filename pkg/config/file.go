package config

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxSize is the most a document may have, in bytes. No honest one comes near.
const MaxSize = 1 << 20

// File is a document that was read, with the place of each of its fields.
type File struct {
	Bootstrap
	name string
	at   map[string]place
}

// place is where a field stands, and its text if it is a scalar.
type place struct {
	line int
	text string
}

// Parse reads a document into the defaults. Name is what messages call it, such as "hcctl.yaml"; folder is what paths in it are
// relative to. The error is an *Error and names the line; what the fields have to satisfy beyond their types is Validate's.
func Parse(name, folder string, data []byte) (*File, error) {
	d := &decoder{name: name, at: map[string]place{}}
	root, err := d.document(data)
	if err != nil {
		return nil, err
	}
	f := &File{Bootstrap: Default(), name: name, at: d.at}
	if err := d.header(root); err != nil {
		return nil, err
	}
	if err := d.decode(root, &f.Bootstrap); err != nil {
		return nil, err
	}
	if m := &f.Virtualization.Manifests; *m != "" && !filepath.IsAbs(*m) {
		*m = filepath.Join(folder, *m)
	}
	return f, nil
}

// document is the root of the one document of data.
func (d *decoder) document(data []byte) (*yaml.Node, error) {
	if len(data) > MaxSize {
		return nil, &Error{File: d.name, Message: fmt.Sprintf("has more than %d bytes: this cannot be a document of hcctl", MaxSize)}
	}
	reader := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc, more yaml.Node
	switch err := reader.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && empty(&doc):
		return nil, &Error{File: d.name, Message: "is empty", Next: "hcctl config init FILE writes one to begin with"}
	case err != nil:
		return nil, d.syntax(err)
	}
	switch err := reader.Decode(&more); {
	case err == nil && !empty(&more):
		return nil, &Error{File: d.name, Line: more.Line, Message: "a second document begins here; a file holds one"}
	case err != nil && !errors.Is(err, io.EOF):
		return nil, d.syntax(err)
	}
	return doc.Content[0], nil
}

// empty tells whether a document holds nothing.
func empty(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Tag == "!!null"
}

var syntaxError = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax turns the parser's error into one of ours.
func (d *decoder) syntax(err error) error {
	out := &Error{File: d.name, Message: "is not YAML: " + syntaxError.ReplaceAllString(err.Error(), "")}
	if m := syntaxError.FindStringSubmatch(err.Error()); m != nil {
		out.Line, _ = strconv.Atoi(m[1])
	}
	return out
}

// header refuses documents of another kind before their fields are found to be unknown.
func (d *decoder) header(root *yaml.Node) error {
	if root.Kind != yaml.MappingNode {
		return d.fail(root, "", "holds %s, but has to hold fields such as apiVersion: %s", kindOf(root), APIVersion)
	}
	for _, want := range []struct{ field, value string }{{"apiVersion", APIVersion}, {"kind", Kind}} {
		found := false
		for i := 0; i+1 < len(root.Content); i += 2 {
			if key, value := root.Content[i], root.Content[i+1]; key.Value == want.field {
				if found = true; value.Value != want.value {
					return d.fail(value, want.field, "%q: this hcctl knows %s", value.Value, want.value)
				}
			}
		}
		if !found {
			return d.fail(root, "", "%s is missing: the document has to say %s: %s", want.field, want.field, want.value)
		}
	}
	return nil
}

// Name is what messages call the document.
func (f *File) Name() string { return f.name }
