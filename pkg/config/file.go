package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/hint"
)

// MaxSize limits a document, in bytes. Real documents are much smaller.
const MaxSize = 1 << 20

// File is a parsed document with the place of each field.
type File struct {
	Bootstrap
	name string
	at   map[string]place
}

// place is the line of a field, and its text if it is a scalar.
type place struct {
	line int
	text string
}

// Parse reads a document over the defaults. Messages use name, such as "hcctl.yaml"; paths in the document are
// relative to directory. The error is an *Error with the line. Validate checks what the types cannot express.
func Parse(name, directory string, data []byte) (*File, error) {
	d := &decoder{name: name, directory: directory, fields: Fields(), at: map[string]place{}}
	root, err := d.document(data, "a file of settings holds one")
	if err != nil {
		return nil, err
	}
	f := &File{Bootstrap: Default(), name: name, at: d.at}
	if _, err := d.header(root, Kind); err != nil {
		return nil, err
	}
	if err := d.decode(root, &f.Bootstrap); err != nil {
		return nil, err
	}
	f.Virtualization.Manifests = d.located(f.Virtualization.Manifests)
	f.Mirrors.Resources = d.located(f.Mirrors.Resources)
	f.Mirrors.PullSecret = d.located(f.Mirrors.PullSecret)
	for host, path := range f.Mirrors.Certificates {
		f.Mirrors.Certificates[host] = d.located(path)
	}
	return f, nil
}

// document returns the root of the only document of data. A second document is an error, with why as its reason.
func (d *decoder) document(data []byte, why string) (*yaml.Node, error) {
	roots, err := d.documents(data)
	if err != nil {
		return nil, err
	}
	if len(roots) > 1 {
		return nil, &Error{File: d.name, Line: roots[1].Line, Message: "a second document begins here; " + why}
	}
	return roots[0], nil
}

// documents returns the roots of all documents of data; it is an error if there is none. Empty documents are
// skipped.
func (d *decoder) documents(data []byte) ([]*yaml.Node, error) {
	if len(data) > MaxSize {
		return nil, &Error{File: d.name, Message: fmt.Sprintf("has more than %d bytes: this cannot be a document of hcctl",
			MaxSize)}
	}
	roots, err := document.Trees(data)
	var wrong *document.Error
	switch {
	case errors.Is(err, document.ErrEmpty):
		return nil, &Error{File: d.name, Message: "is empty",
			Next: hint.New("%s writes one to begin with", hint.Run("config init", "FILE"))}
	case errors.As(err, &wrong):
		return nil, &Error{File: d.name, Line: wrong.Line, Message: "is " + wrong.Message}
	}
	for _, root := range roots {
		if version := ofVendor(root); version != nil {
			return nil, d.failWith(version, "apiVersion", hint.New("%s makes one of it", hint.Run("lint", d.name).
				Flag("convert", "DIR")), "%q: this is an object of HyperShift, not a document of hcctl", version.Value)
		}
	}
	return roots, err
}

// ofVendor returns the apiVersion of a HyperShift object that a document is, or contains in a list; nil if there
// is none.
func ofVendor(root *yaml.Node) *yaml.Node {
	version, items := fieldOf(root, "apiVersion"), fieldOf(root, "items")
	switch {
	case version != nil && strings.HasPrefix(version.Value, "hypershift.openshift.io/"):
		return version
	case items == nil || items.Kind != yaml.SequenceNode:
		return nil
	}
	for _, item := range items.Content {
		if version := ofVendor(item); version != nil {
			return version
		}
	}
	return nil
}

// header returns the kind of a document. It returns an error for other kinds, before their fields would be
// reported as unknown.
func (d *decoder) header(root *yaml.Node, kinds ...string) (string, error) {
	if root.Kind != yaml.MappingNode {
		return "", d.fail(root, "", "holds %s, but has to hold fields such as apiVersion: %s", kindOf(root), APIVersion)
	}
	version := fieldOf(root, "apiVersion")
	switch {
	case version == nil:
		return "", d.fail(root, "", "apiVersion is missing: the document has to say apiVersion: %s", APIVersion)
	case version.Value != APIVersion:
		return "", d.fail(version, "apiVersion", "%q: this hcctl knows %s", version.Value, APIVersion)
	}
	kind := fieldOf(root, "kind")
	switch {
	case kind == nil:
		return "", d.fail(root, "", "kind is missing: the document has to say kind: %s", strings.Join(kinds, " or kind: "))
	case slices.Contains(kinds, kind.Value):
		return kind.Value, nil
	}
	text := fmt.Sprintf("%q: this hcctl knows %s", kind.Value, strings.Join(Kinds(), ", "))
	if slices.Contains(Kinds(), kind.Value) {
		text = fmt.Sprintf("%q: here it has to be %s", kind.Value, strings.Join(kinds, " or "))
	}
	return "", d.failWith(kind, "kind", usesOf(kind.Value), "%s", text)
}

// IsOwn reports whether a document has an apiVersion of hcctl.
func IsOwn(root *yaml.Node) bool {
	version := fieldOf(root, "apiVersion")
	return root.Kind == yaml.MappingNode && version != nil && strings.HasPrefix(version.Value, "hcctl.dev/")
}

// fieldOf returns the value of a key in a mapping, or nil.
func fieldOf(n *yaml.Node, key string) *yaml.Node {
	if n == nil {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// Kinds of documents besides Kind.
const (
	KindCluster = "Cluster"
	KindFleet   = "Fleet"
)

// Kinds lists the kinds of documents.
func Kinds() []string { return []string{Kind, KindCluster, KindFleet} }

// usesOf returns which commands read a kind of document; empty for an unknown kind.
func usesOf(kind string) hint.Text {
	apply := hint.Run("apply").Flag("f")
	return map[string]hint.Text{
		Kind: hint.New("a document of kind Bootstrap is for %s and %s", hint.Run("check").Flag("f"),
			hint.Run("bootstrap").Flag("f")),
		KindCluster: hint.New("a document of kind Cluster is for %s, several for %s", hint.Run("create cluster").Flag("f"),
			apply),
		KindFleet: hint.New("a document of kind Fleet is for %s", apply),
	}[kind]
}

// Name returns the name of the document in messages.
func (f *File) Name() string { return f.name }

// KindOf returns the kind of the first document of data, if it is one of Kinds. Else it returns Kind, whose
// parser reports what is wrong.
func KindOf(data []byte) string {
	roots, err := (&decoder{}).documents(data)
	if err != nil || roots[0].Kind != yaml.MappingNode {
		return Kind
	}
	if kind := fieldOf(roots[0], "kind"); kind != nil && slices.Contains(Kinds(), kind.Value) {
		return kind.Value
	}
	return Kind
}
