package dex

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed fields.tsv
var table string

// kind is the type of a field.
type kind string

// The types, as fields.tsv has them.
const (
	object      kind = "object"
	list        kind = "list"
	mapping     kind = "map"
	text        kind = "text"
	secret      kind = "secret"
	address     kind = "url"
	boolean     kind = "bool"
	number      kind = "number"
	texts       kind = "texts"
	textOrTexts kind = "text-or-texts"
	duration    kind = "duration"
	encoded     kind = "base64"
	file        kind = "file"
	environment kind = "env"
)

// field is one field of the file.
type field struct {
	kind     kind
	required bool
	values   []string
}

// schema are the fields by their path, such as "connectors[].config<ldap>.host".
type schema map[string]field

// fields are all that Dex has.
var fields = sync.OnceValue(func() schema { return parseTable(table) })

// aliases are types of connectors with the configuration of another (server/connector.go).
var aliases = map[string]string{"samlExperimental": "saml"}

func parseTable(lines string) schema {
	out := schema{}
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := append(strings.Split(line, "\t"), "", "")
		f := field{kind: kind(columns[1])}
		for _, facet := range strings.Fields(columns[2]) {
			if facet == "required" {
				f.required = true
				continue
			}
			f.values = strings.Split(facet, "|")
		}
		out[columns[0]] = f
	}
	return out
}

// below are the names of the fields directly below a path, in order.
func (s schema) below(path string) []string {
	var out []string
	for p := range s {
		rest, ok := strings.CutPrefix(p, path+".")
		if path == "" {
			rest, ok = p, true
		}
		if ok && !strings.ContainsAny(rest, ".[<") {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return out
}
