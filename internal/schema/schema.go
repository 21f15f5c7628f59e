// Package schema validates documents against the JSON Schemas of docs/schema in tests. It is stricter than JSON Schema:
// an undescribed property and a keyword without effect are errors.
package schema

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Schema is one file of docs/schema.
type Schema struct{ compiled *jsonschema.Schema }

// Read reads a schema file. Unknown keywords, missing types or references, invalid patterns and required properties
// without a description are errors.
func Read(path string) (*Schema, error) {
	data, err := os.ReadFile(path) //nolint:gosec // tests name the file
	if err != nil {
		return nil, err
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := errors.Join(tighten("#", root)...); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return compile(path, root)
}

// Parse parses the text of a schema without the stricter rules: the keywords of every draft are allowed.
func Parse(name string, text []byte) (*Schema, error) {
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return compile(name, root)
}

func compile(path string, root any) (*Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseLoader(noLoader{})
	if err := c.AddResource(path, root); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(path)
	return &Schema{compiled}, err
}

// noLoader is a loader that rejects references to other files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, fmt.Errorf("%s is another file", url) }

// Validate returns the problems of a JSON document, one sentence each, such as "/steps/0/state: value must be ...".
func (s *Schema) Validate(document []byte) []string {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return []string{"the document is not JSON: " + err.Error()}
	}
	var invalid *jsonschema.ValidationError
	switch err := s.compiled.Validate(v); {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return problems(invalid)
	default:
		return []string{err.Error()}
	}
}

// ValidateLines returns the problems of a stream of JSON documents, one per line. An empty stream is a problem.
func (s *Schema) ValidateLines(stream []byte) []string {
	var out []string
	for i, line := range strings.Split(strings.TrimSuffix(string(stream), "\n"), "\n") {
		for _, p := range s.Validate([]byte(line)) {
			out = append(out, fmt.Sprintf("line %d: %s", i+1, p))
		}
	}
	return out
}

// problems returns the innermost errors. If all alternatives fail, it returns only the closest one.
func problems(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		where := "/" + strings.Join(e.InstanceLocation, "/")
		return []string{where + ": " + e.ErrorKind.LocalizedString(message.NewPrinter(language.English))}
	}
	var each [][]string
	for _, cause := range e.Causes {
		each = append(each, problems(cause))
	}
	if _, isOneOf := e.ErrorKind.(*kind.OneOf); isOneOf {
		return slices.MinFunc(each, func(a, b []string) int { return len(a) - len(b) })
	}
	return slices.Concat(each...)
}
