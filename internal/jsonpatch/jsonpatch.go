// Package jsonpatch parses and applies JSON patches (RFC 6902) from users, in JSON or YAML.
package jsonpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/hcctl/hcctl/internal/document"
)

// Operation is one operation of a JSON patch.
type Operation struct {
	Op   string `json:"op"`
	Path string `json:"path"`
	From string `json:"from,omitempty"`
	// Value is nil if there is none; null is a value.
	Value json.RawMessage `json:"value,omitempty"`
}

// operation distinguishes missing from empty members: the path "" is the whole document.
type operation struct {
	Op    string          `json:"op"`
	Path  *string         `json:"path"`
	From  *string         `json:"from"`
	Value json.RawMessage `json:"value"`
}

// example is a patch for error messages.
const example = `[{"op":"add","path":"/spec/template/spec/hostname","value":"a"}]`

// Parse parses a patch. Unknown members of an operation are ignored, as RFC 6902 requires (section 4); every other
// violation is an error with its line. Whether the paths exist depends on the object.
func Parse(content []byte) ([]Operation, error) {
	doc, err := document.One(content, "a list of operations")
	switch {
	case errors.Is(err, document.ErrEmpty):
		return nil, errors.New("there is no patch in it; a patch is a list like " + example)
	case err != nil:
		return nil, err
	}
	var given []operation
	if err := doc.Loose(&given); err != nil {
		return nil, fmt.Errorf("not a JSON patch, a list like %s: %w", example, err)
	}
	all := make([]Operation, len(given))
	for i, op := range given {
		if all[i], err = op.validate(); err != nil {
			return nil, fmt.Errorf("line %d, operation %d: %w", doc.LineOf(fmt.Sprintf("[%d]", i)), i+1, err)
		}
	}
	return all, nil
}

// validate returns the operation if RFC 6902 allows it.
func (o operation) validate() (Operation, error) {
	ops := []string{"add", "remove", "replace", "move", "copy", "test"}
	moves := o.Op == "move" || o.Op == "copy"
	out := Operation{Op: o.Op}
	switch {
	case !slices.Contains(ops, o.Op):
		return out, fmt.Errorf("unknown op %q; there are %s", o.Op, strings.Join(ops, ", "))
	case o.Path == nil:
		return out, fmt.Errorf("%s needs a path", o.Op)
	case !isPointer(*o.Path):
		return out, fmt.Errorf("path %q is no JSON pointer: it begins with /, and ~ is written as ~0", *o.Path)
	case moves && o.From == nil:
		return out, fmt.Errorf("%s needs from, a path that begins with /", o.Op)
	case moves && !isPointer(*o.From):
		return out, fmt.Errorf("from %q is no JSON pointer: it begins with /, and ~ is written as ~0", *o.From)
	case o.Op == "move" && strings.HasPrefix(*o.Path, *o.From+"/"):
		return out, fmt.Errorf("%q cannot be moved into itself, to %q", *o.From, *o.Path)
	case (o.Op == "add" || o.Op == "replace" || o.Op == "test") && o.Value == nil:
		return out, fmt.Errorf("%s needs a value", o.Op)
	}
	out.Path = *o.Path
	if moves {
		out.From = *o.From
		return out, nil
	}
	if o.Op == "remove" {
		return out, nil
	}
	var err error
	out.Value, err = sortFields(o.Value)
	return out, err
}

// sortFields returns a value with sorted fields, so that equal patches are equal texts. Otherwise an object would count
// as changed.
func sortFields(value json.RawMessage) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// isPointer reports whether a text is a JSON pointer (RFC 6901).
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := range s {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

// Apply applies the operations to a JSON document: all of them, or none.
func Apply(operations []Operation, document []byte) ([]byte, error) {
	data, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	patch, err := evanphx.DecodePatch(data)
	if err != nil {
		return nil, err
	}
	options := evanphx.NewApplyOptions()
	options.SupportNegativeIndices, options.EscapeHTML = false, false
	return patch.ApplyWithOptions(document, options)
}
