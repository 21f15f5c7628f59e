package dex

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/suggest"
)

// Error is what is wrong with a configuration file. It never has the value of a field that is secret.
type Error struct {
	// Line of the file, counted from 1.
	Line int
	// Field is its path, such as "connectors[0].config.host"; empty if the file as a whole is wrong.
	Field string
	// Detail says what is wrong and what would be right.
	Detail string
}

// Error is one sentence.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Detail
	case e.Field == "":
		return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Detail)
}

func wrong(at *yaml.Node, path, format string, args ...any) error {
	return &Error{Line: at.Line, Field: path, Detail: fmt.Sprintf(format, args...)}
}

// check compares a node with the field at a path of the schema. Path is its place in the file.
func check(n *yaml.Node, place, path string) error {
	f := fields()[place]
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return wrong(n, path, "anchors and aliases are not taken: write the value out")
	case null(n):
		return nil
	}
	switch f.kind {
	case object:
		return checkObject(n, place, path, "")
	case list:
		if n.Kind != yaml.SequenceNode {
			return wrong(n, path, "must be a list")
		}
		for i, item := range n.Content {
			if err := check(item, place+"[]", fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	case texts:
		return checkTexts(n, f, path)
	case textOrTexts:
		if n.Kind == yaml.SequenceNode {
			return checkTexts(n, f, path)
		}
	case mapping:
		return checkMap(n, path)
	}
	return checkScalar(n, f, path)
}

// checkObject checks each field of an object. The fields are those at place, or at that of its type.
func checkObject(n *yaml.Node, place, path, typed string) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, path, "must have fields of its own, as NAME: VALUE")
	}
	if typed != "" {
		place += "<" + typed + ">"
	}
	if err := noTwice(n, path); err != nil {
		return err
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at, below := join(place, key.Value), join(path, key.Value)
		if _, known := fields()[at]; !known || key.Kind != yaml.ScalarNode {
			return unknown(key, place, path, typed)
		}
		if key.Value == "config" && !null(value) {
			kind := value
			if chosen := get(n, "type"); chosen != nil {
				kind = chosen
			}
			if err := checkConfig(value, kind.Value, at, below); err != nil {
				return err
			}
			continue
		}
		if err := check(value, at, below); err != nil {
			return err
		}
	}
	for _, name := range fields().below(place) {
		if fields()[join(place, name)].required && !has(n, name) {
			return wrong(n, join(path, name), "is missing, and Dex needs it")
		}
	}
	return nil
}

// checkConfig checks the config of something that has a type. A type that does not exist is told by the type's own
// check.
func checkConfig(n *yaml.Node, typed, place, path string) error {
	if same, ok := aliases[typed]; ok {
		typed = same
	}
	if _, known := fields()[place+"<"+typed+">"]; !known {
		return nil
	}
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return wrong(n, path, "anchors and aliases are not taken: write the value out")
	}
	return checkObject(n, place, path, typed)
}

func unknown(key *yaml.Node, place, path, typed string) error {
	whose := "Dex"
	if typed != "" {
		whose = "Dex's " + typed
	}
	detail := "is no field of " + whose
	if meant := suggest.Words(key.Value, fields().below(place)); len(meant) > 0 {
		detail += "; is " + strings.Join(meant, " or ") + " meant?"
	}
	return wrong(key, join(path, key.Value), "%s", detail)
}

func checkTexts(n *yaml.Node, f field, path string) error {
	if n.Kind != yaml.SequenceNode {
		return wrong(n, path, "must be a list of texts")
	}
	for i, item := range n.Content {
		if err := checkScalar(item, field{kind: text, values: f.values}, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func checkMap(n *yaml.Node, path string) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, path, "must have entries, as NAME: TEXT")
	}
	if err := noTwice(n, path); err != nil {
		return err
	}
	for i := 0; i < len(n.Content); i += 2 {
		if err := checkScalar(n.Content[i+1], field{kind: text}, join(path, n.Content[i].Value)); err != nil {
			return err
		}
	}
	return nil
}

func noTwice(n *yaml.Node, path string) error {
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if first, twice := seen[key.Value]; twice {
			return wrong(key, join(path, key.Value), "stands here twice, first in line %d", first)
		}
		seen[key.Value] = key.Line
	}
	return nil
}

// checkScalar checks a single value. Dex decodes texts strictly below connectors and storage, so that a number without
// quotes is refused here everywhere.
func checkScalar(n *yaml.Node, f field, path string) error {
	if n.Kind != yaml.ScalarNode || n.Anchor != "" {
		return wrong(n, path, "must be a single value")
	}
	tag := n.ShortTag()
	switch f.kind {
	case boolean:
		if tag != "!!bool" {
			return wrong(n, path, "must be true or false, without quotes")
		}
		return nil
	case number:
		if tag != "!!int" {
			return wrong(n, path, "must be a whole number, without quotes")
		}
		return nil
	case file:
		return wrong(n, path, "names a file in Dex's pod, where there is none of yours: write its content into a field "+
			"such as rootCAData, or leave it out")
	case environment:
		return wrong(n, path, "names a variable of Dex's environment, where there is none of yours: write the value "+
			"itself")
	}
	if tag != "!!str" {
		return wrong(n, path, "must be a text: put it in quotes")
	}
	switch f.kind {
	case duration:
		if d, err := time.ParseDuration(n.Value); err != nil || d <= 0 {
			return wrong(n, path, "%q is not a duration such as 24h or 10m", short(n.Value))
		}
	case encoded:
		if _, err := base64.StdEncoding.DecodeString(n.Value); err != nil {
			return wrong(n, path, "must be base64")
		}
	}
	if len(f.values) > 0 && !slices.Contains(f.values, n.Value) && n.Value != "" {
		return wrong(n, path, "%q is none of %s", short(n.Value), strings.Join(f.values, ", "))
	}
	return nil
}

// short is a value for a message.
func short(s string) string {
	const longest = 60
	if len(s) > longest {
		return s[:longest] + "..."
	}
	return s
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// get is the value of a field of an object, nil if it has none.
func get(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// items are those of a list below an object.
func items(n *yaml.Node, name string) []*yaml.Node {
	if v := get(n, name); v != nil && v.Kind == yaml.SequenceNode {
		return v.Content
	}
	return nil
}

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }
