// Package schema holds documents against the JSON Schemas of docs/schema, for tests. It knows the part of draft 2020-12 that
// those files use, and refuses a file that uses another.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Schema is one file of docs/schema.
type Schema struct {
	root *node
	path string
}

// node is a schema or a part of one.
type node struct {
	Schema               string           `json:"$schema"`
	ID                   string           `json:"$id"`
	Ref                  string           `json:"$ref"`
	Defs                 map[string]*node `json:"$defs"`
	Title                string           `json:"title"`
	Description          string           `json:"description"`
	Type                 types            `json:"type"`
	Properties           map[string]*node `json:"properties"`
	Required             []string         `json:"required"`
	AdditionalProperties *additional      `json:"additionalProperties"`
	Items                *node            `json:"items"`
	Enum                 []any            `json:"enum"`
	Const                any              `json:"const"`
	Pattern              string           `json:"pattern"`
	Format               string           `json:"format"`
	Minimum              *float64         `json:"minimum"`
	OneOf                []*node          `json:"oneOf"`
}

// types are one type or several.
type types []string

func (t *types) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// additional is true, false or what each further property has to be.
type additional struct {
	allowed bool
	each    *node
}

func (a *additional) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &a.allowed) == nil {
		return nil
	}
	a.allowed, a.each = true, &node{}
	return strictly(data, a.each)
}

// Read reads a schema. Keywords the package does not know, types there are not, references that lead nowhere, patterns that do not
// compile and required properties that are not described are errors.
func Read(path string) (*Schema, error) {
	data, err := os.ReadFile(path) //nolint:gosec // tests name the file
	if err != nil {
		return nil, err
	}
	s := &Schema{root: &node{}, path: path}
	if err := strictly(data, s.root); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var problems []error
	s.root.visit("", func(at string, n *node) {
		for _, p := range s.lint(n) {
			problems = append(problems, fmt.Errorf("%s: #%s: %s", path, at, p))
		}
	})
	return s, errors.Join(problems...)
}

func strictly(data []byte, into any) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// visit calls each part of the schema with its place.
func (n *node) visit(at string, each func(string, *node)) {
	if n == nil {
		return
	}
	each(at, n)
	for name, sub := range n.Properties {
		sub.visit(at+"/properties/"+name, each)
	}
	for name, sub := range n.Defs {
		sub.visit(at+"/$defs/"+name, each)
	}
	for i, sub := range n.OneOf {
		sub.visit(fmt.Sprintf("%s/oneOf/%d", at, i), each)
	}
	n.Items.visit(at+"/items", each)
	if n.AdditionalProperties != nil {
		n.AdditionalProperties.each.visit(at+"/additionalProperties", each)
	}
}

func (s *Schema) lint(n *node) []string {
	var out []string
	for _, t := range n.Type {
		switch t {
		case "object", "array", "string", "integer", "number", "boolean", "null":
		default:
			out = append(out, fmt.Sprintf("there is no type %q", t))
		}
	}
	for _, name := range n.Required {
		if n.Properties[name] == nil {
			out = append(out, fmt.Sprintf("%q is required and not described", name))
		}
	}
	if _, err := regexp.Compile(n.Pattern); err != nil {
		out = append(out, err.Error())
	}
	if n.Format != "" && n.Format != "date-time" {
		out = append(out, fmt.Sprintf("format %q is not known here", n.Format))
	}
	if n.Ref != "" && s.resolve(n) == nil {
		out = append(out, fmt.Sprintf("$ref %q leads nowhere", n.Ref))
	}
	return out
}

// resolve follows a reference into $defs; it is the node itself where there is none, and nil where it leads nowhere.
func (s *Schema) resolve(n *node) *node {
	if n.Ref == "" {
		return n
	}
	name, ok := strings.CutPrefix(n.Ref, "#/$defs/")
	if !ok {
		return nil
	}
	return s.root.Defs[name]
}
