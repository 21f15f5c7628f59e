package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `{
  "type": "object", "required": ["kind"],
  "properties": {
    "kind": {"const": "Sample"},
    "state": {"enum": ["ok", "bad"]},
    "count": {"type": "integer", "minimum": 0},
    "at": {"type": "string", "format": "date-time"},
    "id": {"type": ["string", "null"], "pattern": "^[a-z]+$"},
    "free": {"type": "object"},
    "numbers": {"type": "object", "additionalProperties": {"type": "number"}},
    "list": {"type": "array", "items": {"$ref": "#/$defs/item"}},
    "either": {"oneOf": [
      {"type": "object", "required": ["type"], "properties": {"type": {"const": "a"}, "x": {"type": "string"}}},
      {"type": "object", "required": ["type"], "properties": {"type": {"const": "b"}, "y": {"type": "string"}}}
    ]}
  },
  "$defs": {"item": {"type": "object", "properties": {"a": {"type": "boolean"}}}}
}`

func read(t *testing.T, text string) (*Schema, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(path)
}

func TestValidate(t *testing.T) {
	s, err := read(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	for document, want := range map[string]string{
		`{"kind":"Sample"}`: "",
		`{"kind":"Sample","state":"ok","count":3,"at":"2026-01-02T03:04:05Z","id":null,"free":{"x":1},"numbers":{"a":1.5},"list":[{"a":true}],"either":{"type":"b","y":""}}`: "",
		`{`:                                    "the document is not JSON",
		`[]`:                                   "the document is not of type object",
		`{}`:                                   "the document lacks kind",
		`{"kind":"Other"}`:                     `/kind is "Other", not "Sample"`,
		`{"kind":"Sample","x":1}`:              "the document has x, which the schema does not describe",
		`{"kind":"Sample","state":""}`:         `/state is "", not one of ["ok","bad"]`,
		`{"kind":"Sample","count":1.5}`:        "/count is not of type integer",
		`{"kind":"Sample","count":-1}`:         "/count is -1, less than 0",
		`{"kind":"Sample","at":"now"}`:         "/at is not a time",
		`{"kind":"Sample","id":"A"}`:           "/id does not match",
		`{"kind":"Sample","id":1}`:             "/id is not of type string or null",
		`{"kind":"Sample","numbers":{"a":""}}`: "/numbers/a is not of type number",
		`{"kind":"Sample","list":[{"a":true},{"a":1}]}`:    "/list/1/a is not of type boolean",
		`{"kind":"Sample","list":[{"b":true}]}`:            "/list/0 has b, which the schema does not describe",
		`{"kind":"Sample","either":{"type":"a","y":"no"}}`: "/either fits none of oneOf",
	} {
		got := strings.Join(s.Validate([]byte(document)), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", document, got, want)
		}
	}
	if got := s.ValidateLines([]byte("{\"kind\":\"Sample\"}\n{}\n")); len(got) != 1 || got[0] != "line 2: the document lacks kind" {
		t.Errorf("lines: %q", got)
	}
	if got := s.ValidateLines(nil); len(got) != 1 {
		t.Errorf("no lines: %q", got)
	}
}

func TestReadRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for text, want := range map[string]string{
		`{"maxLength": 3}`:                          "maxLength",
		`{"properties": {"a": {"typo": "string"}}}`: "typo",
		`{"additionalProperties": {"typo": 1}}`:     "typo",
		`{"items": {"type": "text"}}`:               `#/items: there is no type "text"`,
		`{"required": ["a"]}`:                       `"a" is required and not described`,
		`{"pattern": "("}`:                          "missing closing",
		`{"format": "email"}`:                       `format "email"`,
		`{"$ref": "#/$defs/none"}`:                  "leads nowhere",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
