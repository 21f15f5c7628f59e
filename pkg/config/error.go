package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// Error is a problem in a document, with its place.
type Error struct {
	failure.Usage
	// File is the name of the file as the user gave it.
	File string
	// Line is the line, counted from 1; 0 means the whole document.
	Line int
	// Path is the field, such as "storage.mode"; empty for the whole document.
	Path string
	// Message is what is wrong and what would be right. It follows Path as one sentence.
	Message string
	// Next is the next step for the user; it may be empty.
	Next hint.Text
}

// Error returns one sentence, such as `hcctl.yaml:4: storage.mode "ceph": use one of auto, odf`.
func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprintf(":%d", e.Line)
	}
	between := " "
	if e.Path == "" || strings.HasPrefix(e.Message, ":") {
		between = ""
	}
	return s + ": " + e.Path + between + e.Message
}

// Hint returns Next, or how to list the fields.
func (e *Error) Hint() hint.Text {
	if e.Next.IsZero() {
		return hint.New("%s shows every field with its meaning and default", hint.Run("config init"))
	}
	return e.Next
}

func (d *decoder) fail(n *yaml.Node, path, format string, args ...any) error {
	return d.failWith(n, path, hint.Text{}, format, args...)
}

func (d *decoder) failWith(n *yaml.Node, path string, next hint.Text, format string, args ...any) error {
	return &Error{File: d.name, Line: n.Line, Path: path, Message: fmt.Sprintf(format, args...), Next: next}
}

// kindOf returns the kind of a node in words for users.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a set of fields"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return "the truth value " + n.Value
	}
	return fmt.Sprintf("%q", n.Value)
}

// example returns a scalar as an item of a list, or VALUE.
func example(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Value != "" && !strings.ContainsAny(n.Value, ",[]{}:#\n\"'") {
		return n.Value
	}
	return "VALUE"
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
