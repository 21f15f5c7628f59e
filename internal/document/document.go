// Package document reads YAML and JSON files completely: every document and every field is used, or the file is
// rejected with the line of the problem. Messages quote no values, which may be secret.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// Document is one document of a file.
type Document struct {
	// Line is the line of the file in which the document's content begins.
	Line int
	// JSON is the document in the form that kubectl sends to an API server.
	JSON []byte
	// Root is its YAML node tree, with lines of the file.
	Root *yaml.Node
}

// Error is a problem of a file.
type Error struct {
	// Line is 0 if the problem concerns the whole file.
	Line    int
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

func errorAt(line int, format string, args ...any) error {
	return &Error{Line: line, Message: fmt.Sprintf(format, args...)}
}

// ErrEmpty means that all documents of a file are empty.
var ErrEmpty = &Error{Message: "there is nothing in it"}

// Text returns the content without a UTF-8 byte order mark and with line feeds as the only line ends. It fails for
// UTF-16 and for zero bytes.
func Text(content []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(content, []byte("\xff\xfe")), bytes.HasPrefix(content, []byte("\xfe\xff")):
		return nil, errorAt(0, "the text is UTF-16; save it as UTF-8")
	case bytes.IndexByte(content, 0) >= 0:
		return nil, errorAt(1+bytes.Count(content[:bytes.IndexByte(content, 0)], []byte("\n")), "there is a zero byte; "+
			"this is no text")
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(content, []byte("\r"), []byte("\n")), nil
}

// Read returns all non-empty documents of a file. It returns an *Error for invalid YAML and for a duplicate key.
func Read(content []byte) ([]Document, error) {
	content, err := Text(content)
	if err != nil {
		return nil, err
	}
	if values := jsonValues(content); len(values) > 0 {
		var all []Document
		for _, value := range values {
			d, err := value.document()
			switch {
			case err == nil:
				all = append(all, d)
			case !errors.Is(err, ErrEmpty):
				return nil, err
			}
		}
		if len(all) == 0 {
			return nil, ErrEmpty
		}
		return all, nil
	}
	nodes, err := trees(content)
	if err != nil {
		return nil, err
	}
	var all []Document
	for i, node := range nodes {
		from, to := 1, 0
		if i > 0 {
			from = node.Line
		}
		if i+1 < len(nodes) {
			to = nodes[i+1].Line
		}
		if empty(node) {
			continue
		}
		text, err := k8syaml.YAMLToJSONStrict(lines(content, from, to))
		if err != nil {
			return nil, syntax(content, err, from-1)
		}
		root := node.Content[0]
		all = append(all, Document{Line: root.Line, JSON: text, Root: root})
	}
	if len(all) == 0 {
		return nil, ErrEmpty
	}
	return all, nil
}

// One reads a file with one document. A second document is an error, in which what describes the expected content.
func One(content []byte, what string) (Document, error) {
	all, err := Read(content)
	switch {
	case err != nil:
		return Document{}, err
	case len(all) > 1:
		return Document{}, errorAt(all[1].Line, "a second document begins here; the file holds one: %s", what)
	}
	return all[0], nil
}

// Trees returns the non-empty documents of a file as YAML nodes. It checks only the syntax.
func Trees(content []byte) ([]*yaml.Node, error) {
	content, err := Text(content)
	if err != nil {
		return nil, err
	}
	nodes, err := trees(content)
	if err != nil {
		return nil, err
	}
	var roots []*yaml.Node
	for _, node := range nodes {
		if !empty(node) {
			roots = append(roots, node.Content[0])
		}
	}
	if len(roots) == 0 {
		return nil, ErrEmpty
	}
	return roots, nil
}

func trees(content []byte) ([]*yaml.Node, error) {
	reader := yaml.NewDecoder(bytes.NewReader(content))
	var all []*yaml.Node
	for {
		node := &yaml.Node{}
		switch err := reader.Decode(node); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, syntax(content, err, 0)
		}
		all = append(all, node)
	}
}

// empty reports whether a document has no content.
func empty(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Tag == "!!null"
}

// lineBreaks are the line ends that the YAML parser counts.
var lineBreaks = []string{"\n", "\u0085", "\u2028", "\u2029"}

// lines returns the lines from the first number up to, but not including, the second; 0 means the end.
func lines(content []byte, from, to int) []byte {
	begin, end, line := 0, len(content), 1
	for i := range content {
		for _, b := range lineBreaks {
			if !bytes.HasPrefix(content[i:], []byte(b)) {
				continue
			}
			line++
			if line == from {
				begin = i + len(b)
			}
			if line == to {
				return content[begin : i+len(b)]
			}
		}
	}
	return content[begin:end]
}

var (
	indentedWithTab = lazyregexp.New(`(?m)^ *\t`)

	numberedLine  = lazyregexp.New(`(?:yaml: )?line (\d+): `)
	duplicateKey  = lazyregexp.New(`key "(.*)" already set in map`)
	unknownAnchor = lazyregexp.New(`unknown anchor '(.*)' referenced`)
)

// syntax converts the parser's error to an *Error with the line in the file.
func syntax(content []byte, err error, before int) error {
	out := &Error{}
	text := err.Error()
	if m := numberedLine.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		out.Line = before + n
	}
	if alias := unknownAnchor.FindStringSubmatch(text); alias != nil {
		until := max(0, bytes.Index(content, []byte("*"+alias[1])))
		out.Line = 1 + bytes.Count(content[:until], []byte("\n"))
	} else if strings.Contains(text, "did not find expected") && !strings.Contains(text, "node content") || out.Line == 0 {
		out.Line = max(out.Line, before) + 1 // the parser counts lines from 0 in most errors, from 1 in others
	}
	if duplicate := duplicateKey.FindStringSubmatch(text); duplicate != nil {
		out.Message = fmt.Sprintf("field %q is there twice", duplicate[1])
		return out
	}
	text = unknownAnchor.ReplaceAllString(numberedLine.ReplaceAllString(text, ""), "a value that begins with * has to "+
		"be quoted")
	for _, layer := range []string{"yaml: ", "unmarshal errors:", "error converting YAML to JSON: "} {
		text = strings.ReplaceAll(text, layer, "")
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	token := strings.Contains(text, "cannot start any token")
	if tab := indentedWithTab.Get().FindIndex(content); tab != nil && (token || strings.Contains(text, "tab character")) {
		out.Line = 1 + bytes.Count(content[:tab[1]], []byte("\n"))
		text = "the line is indented with a tab; YAML takes only spaces there"
	} else if token {
		text = "a value begins with @, ` or %; write it in quotes"
	}
	out.Message = "not YAML: " + strings.TrimSpace(text)
	return out
}

var unknownField = lazyregexp.New(`^unknown field "(.*)"$`)

// Decode decodes the document into a value. An unknown field and a value of the wrong type are errors.
func (d Document) Decode(into any) error {
	strict, err := kjson.UnmarshalStrict(d.JSON, into)
	if err != nil {
		return d.typeError(err)
	}
	if len(strict) > 0 {
		path := strict[0].Error()
		if m := unknownField.FindStringSubmatch(path); m != nil {
			return errorAt(d.LineOf(m[1]), "unknown field %q", m[1])
		}
		return errorAt(d.Line, "%s", path)
	}
	return nil
}

// Unknown returns the fields that a value does not have.
func (d Document) Unknown(into any) (paths []string) {
	strict, _ := kjson.UnmarshalStrict(d.JSON, into, kjson.DisallowUnknownFields) // Loose reports wrong types
	for _, err := range strict {
		if m := unknownField.FindStringSubmatch(err.Error()); m != nil {
			paths = append(paths, m[1])
		}
	}
	return paths
}

// typeError converts the decoder's error for a wrong type to a plain message with the line of the field.
func (d Document) typeError(err error) error {
	m := goType.FindStringSubmatch(err.Error())
	if m == nil {
		return errorAt(d.Line, "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if m[2] == "" {
		return errorAt(d.Line, "an unexpected %s", m[1])
	}
	_, path, _ := strings.Cut(m[2], ".")
	return errorAt(d.LineOf(path), "field %q has an unexpected %s", path, m[1])
}

// goType matches the decoder's error for a value that does not fit a Go type.
var goType = lazyregexp.New(`cannot unmarshal (\w+) into Go (?:value|struct field (\S+)) of type`)

// LineOf returns the line of a field, such as "spec.items[2].name". For a missing field it returns the line of the
// nearest existing parent.
func (d Document) LineOf(path string) int {
	line, _ := d.find(path)
	return line
}

// at returns the value of a field; an empty node if it does not exist.
func (d Document) at(path string) *yaml.Node {
	if _, at := d.find(path); at != nil {
		return at
	}
	return &yaml.Node{}
}

func (d Document) find(path string) (line int, at *yaml.Node) {
	line, at = d.Line, d.Root
	for path != "" && at != nil {
		if at.Kind == yaml.AliasNode {
			at = at.Alias
		}
		at, path = step(at, strings.TrimPrefix(path, "."), &line)
	}
	return line, at
}

// step descends into a tree by the first part of a path, and returns the rest of the path.
func step(at *yaml.Node, path string, line *int) (*yaml.Node, string) {
	if at.Kind == yaml.SequenceNode {
		index, rest, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= len(at.Content) {
			return nil, ""
		}
		*line = at.Content[i].Line
		return at.Content[i], rest
	}
	if at.Kind != yaml.MappingNode {
		return nil, ""
	}
	// The longest key wins, because keys may contain dots and brackets.
	best := -1
	for i := 0; i+1 < len(at.Content); i += 2 {
		key := at.Content[i].Value
		rest, is := strings.CutPrefix(path, key)
		if is && (rest == "" || rest[0] == '.' || rest[0] == '[') && (best < 0 || len(key) >= len(at.Content[best].Value)) {
			best = i
		}
	}
	if best < 0 {
		return nil, ""
	}
	*line = at.Content[best].Line
	return at.Content[best+1], path[len(at.Content[best].Value):]
}

// Loose decodes the document into a value that has only some of its fields. Unknown fields are ignored.
func (d Document) Loose(into any) error {
	if err := kjson.UnmarshalCaseSensitivePreserveInts(d.JSON, into); err != nil {
		return d.typeError(err)
	}
	return nil
}
