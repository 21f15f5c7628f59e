package adminkubeconfig

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// largest is how many bytes a kubeconfig may have. The operator's has some 8 KB; serving certificates of one's own may
// add to that.
const largest = 256 << 10

// Parse reads the admin kubeconfig of a hosted cluster. It fails with *FieldError for all but what the operator writes.
func Parse(content []byte) (*Access, error) {
	root, err := document(content)
	if err != nil {
		return nil, err
	}
	top, err := mapping("", root, "apiVersion", "kind", "preferences", "clusters", "users", "contexts", "current-context")
	if err != nil {
		return nil, err
	}
	if err := header(top); err != nil {
		return nil, err
	}
	a := &Access{}
	// The user first: what is gravest, such as a command, is told where several fields are refused.
	if err := a.readUser(top); err != nil {
		return nil, err
	}
	if err := a.readCluster(top); err != nil {
		return nil, err
	}
	if err := a.readContext(top); err != nil {
		return nil, err
	}
	return a, nil
}

// document is the one YAML document of the content, in which every node is written out.
func document(content []byte) (*yaml.Node, error) {
	if len(content) > largest {
		return nil, refuse("", "it has more than %d KB", largest>>10)
	}
	if bytes.ContainsFunc(content, strange) {
		return nil, refuse("", "it has characters other than printable ASCII")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	root := &yaml.Node{}
	switch err := decoder.Decode(root); {
	case errors.Is(err, io.EOF):
		return nil, refuse("", "it is empty")
	case err != nil:
		return nil, refuse("", "it is not YAML") // the parser's error may quote what is secret
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, refuse("", "it has several YAML documents")
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) != 1 {
		return nil, refuse("", "it is no mapping")
	}
	return root.Content[0], written(root)
}

// strange is what does not occur in YAML of printable ASCII.
func strange(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\r\n", r) || r > '~' }

// written refuses what stands for something else: aliases, which can also make much of little, and tags.
func written(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return refuse("", "it has anchors and aliases of YAML")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return refuse("", "it has tags of YAML")
	}
	for _, inner := range n.Content {
		if err := written(inner); err != nil {
			return err
		}
	}
	return nil
}

// header holds what is not about the access.
func header(top map[string]*yaml.Node) error {
	for field, want := range map[string]string{"apiVersion": "v1", "kind": "Config"} {
		got, err := text(field, top[field])
		if err != nil {
			return err
		}
		if got != want {
			return refuse(field, "that of a kubeconfig is %s", want)
		}
	}
	if top["preferences"] == nil {
		return nil
	}
	_, err := mapping("preferences", top["preferences"])
	return err
}

// mapping is what a mapping holds, each field once and none but those that are allowed.
func mapping(path string, n *yaml.Node, allowed ...string) (map[string]*yaml.Node, error) {
	if n == nil {
		return nil, refuse(path, "it is missing")
	}
	if n.Kind != yaml.MappingNode {
		return nil, refuse(path, "it is no mapping")
	}
	fields := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, err := text(join(path, "?"), n.Content[i])
		if err != nil {
			return nil, err
		}
		if !slices.Contains(allowed, name) {
			return nil, refuseField(path, name)
		}
		if fields[name] != nil {
			return nil, refuse(join(path, name), "it is there twice")
		}
		fields[name] = n.Content[i+1]
	}
	return fields, nil
}

// text is a string that is not empty.
func text(path string, n *yaml.Node) (string, error) {
	switch {
	case n == nil:
		return "", refuse(path, "it is missing")
	case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str":
		return "", refuse(path, "it is no string")
	case n.Value == "":
		return "", refuse(path, "it is empty")
	}
	return n.Value, nil
}
