package adminkubeconfig

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxBytes limits a kubeconfig. The operator's has about 8 KB, and custom serving certificates may add to that.
const maxBytes = 256 << 10

// Parse reads the admin kubeconfig of a hosted cluster. It returns a *FieldError for everything that the operator does
// not write.
func Parse(content []byte) (*Access, error) {
	return parse(content, func(map[string]*yaml.Node) error { return nil })
}

// ParseCurrent reads a kubeconfig that a user wrote, which may have several clusters, users and contexts. It reads only
// the current ones, in the form that Parse accepts, and returns the errors of Parse.
func ParseCurrent(content []byte) (*Access, error) { return parse(content, keepCurrent) }

func parse(content []byte, narrow func(map[string]*yaml.Node) error) (*Access, error) {
	root, err := document(content)
	if err != nil {
		return nil, err
	}
	top, err := parseMapping("", root, "apiVersion", "kind", "preferences", "clusters", "users", "contexts",
		"current-context")
	if err != nil {
		return nil, err
	}
	if err := checkHeader(top); err != nil {
		return nil, err
	}
	if err := narrow(top); err != nil {
		return nil, err
	}
	a := &Access{}
	// The user comes first, because its fields are the most dangerous, such as a command.
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

// document returns the only YAML document of the content, without aliases.
func document(content []byte) (*yaml.Node, error) {
	if len(content) > maxBytes {
		return nil, refuse("", "it has more than %d KB", maxBytes>>10)
	}
	if bytes.ContainsFunc(content, notPrintable) {
		return nil, refuse("", "it has characters other than printable ASCII")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	root := &yaml.Node{}
	switch err := decoder.Decode(root); {
	case errors.Is(err, io.EOF):
		return nil, refuse("", "it is empty")
	case err != nil:
		return nil, refuse("", "it is not YAML") // the parser's error may quote a secret
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, refuse("", "it has several YAML documents")
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) != 1 {
		return nil, refuse("", "it is not a mapping")
	}
	return root.Content[0], rejectAliases(root)
}

// notPrintable reports characters that are not printable ASCII.
func notPrintable(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\r\n", r) || r > '~' }

// rejectAliases refuses aliases, which can expand to much memory, and tags.
func rejectAliases(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return refuse("", "it has anchors and aliases of YAML")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return refuse("", "it has tags of YAML")
	}
	for _, inner := range n.Content {
		if err := rejectAliases(inner); err != nil {
			return err
		}
	}
	return nil
}

// checkHeader checks the fields outside the entries.
func checkHeader(top map[string]*yaml.Node) error {
	for field, want := range map[string]string{"apiVersion": "v1", "kind": "Config"} {
		got, err := parseString(field, top[field])
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
	_, err := parseMapping("preferences", top["preferences"])
	return err
}

// parseMapping returns the fields of a mapping. It refuses duplicate and unknown fields.
func parseMapping(path string, n *yaml.Node, allowed ...string) (map[string]*yaml.Node, error) {
	if n == nil {
		return nil, refuse(path, "it is missing")
	}
	if n.Kind != yaml.MappingNode {
		return nil, refuse(path, "it is not a mapping")
	}
	fields := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, err := parseString(join(path, "?"), n.Content[i])
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

// parseString returns a string that is not empty.
func parseString(path string, n *yaml.Node) (string, error) {
	switch {
	case n == nil:
		return "", refuse(path, "it is missing")
	case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str":
		return "", refuse(path, "it is not a string")
	case n.Value == "":
		return "", refuse(path, "it is empty")
	}
	return n.Value, nil
}
