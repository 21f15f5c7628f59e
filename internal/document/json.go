package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
)

// jsonValue is a JSON value in a file, with the number of lines before it.
type jsonValue struct {
	text   []byte
	before int
}

// jsonValues returns the consecutive JSON values of a file, which kubectl accepts, too; none if the content is not only
// JSON.
func jsonValues(content []byte) (all []jsonValue) {
	reader := json.NewDecoder(bytes.NewReader(content))
	lines, counted := 0, 0
	for {
		var value json.RawMessage
		err := reader.Decode(&value)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil || len(all) > 0 && value[0] != '{' {
			return nil
		}
		begin := int(reader.InputOffset()) - len(value)
		lines += bytes.Count(content[counted:begin], []byte("\n"))
		counted = begin
		all = append(all, jsonValue{value, lines})
	}
}

// document returns the document of a JSON value. The value may contain what the YAML parser rejects: surrogate pairs,
// long keys.
func (j jsonValue) document() (Document, error) {
	d := Document{Line: 1 + j.before, JSON: j.text, Root: &yaml.Node{}}
	var tree yaml.Node
	if yaml.Unmarshal(j.text, &tree) == nil && len(tree.Content) == 1 {
		d.Root = tree.Content[0]
		shiftLines(d.Root, j.before)
	}
	var value any
	duplicates, err := kjson.UnmarshalStrict(j.text, &value, kjson.DisallowDuplicateFields)
	switch {
	case err != nil:
		return Document{}, d.typeError(err)
	case value == nil:
		return Document{}, ErrEmpty
	case len(duplicates) > 0:
		path := strings.Trim(strings.TrimPrefix(duplicates[0].Error(), "duplicate field "), `"`)
		return Document{}, errorAt(d.LineOf(path), "field %q is there twice", path)
	}
	return d, nil
}

// shiftLines adds a number of lines to all nodes of a tree. JSON has no aliases, so it visits each node once.
func shiftLines(node *yaml.Node, by int) {
	node.Line += by
	for _, child := range node.Content {
		shiftLines(child, by)
	}
}
