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
		`{"kind":"Sample","state":"ok","count":3,"at":"2026-01-02T03:04:05Z","id":null,"free":{"x":1}}`: "",
		`{"kind":"Sample","numbers":{"a":1.5},"list":[{"a":true}],"either":{"type":"b","y":""}}`:        "",
		`{`:                                    "the document is not JSON",
		`[]`:                                   "/: got array, want object",
		`{}`:                                   "/: missing property 'kind'",
		`{"kind":"Other"}`:                     "/kind: value must be 'Sample'",
		`{"kind":"Sample","x":1}`:              "/: additional properties 'x' not allowed",
		`{"kind":"Sample","state":""}`:         "/state: value must be one of 'ok', 'bad'",
		`{"kind":"Sample","count":1.5}`:        "/count: got number, want integer",
		`{"kind":"Sample","count":-1}`:         "/count: minimum: got -1, want 0",
		`{"kind":"Sample","at":"now"}`:         "/at: 'now' is not valid date-time",
		`{"kind":"Sample","id":"A"}`:           "/id: 'A' does not match pattern",
		`{"kind":"Sample","id":1}`:             "/id: got number, want null or string",
		`{"kind":"Sample","numbers":{"a":""}}`: "/numbers/a: got string, want number",
		`{"kind":"Sample","list":[{"a":true},{"a":1}]}`:    "/list/1/a: got number, want boolean",
		`{"kind":"Sample","list":[{"b":true}]}`:            "/list/0: additional properties 'b' not allowed",
		`{"kind":"Sample","either":{"type":"b","z":"no"}}`: "/either: additional properties 'z' not allowed",
	} {
		got := strings.Join(s.Validate([]byte(document)), "\n")
		if want == "" && got != "" || !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want only %q", document, got, want)
		}
	}
	if got := s.ValidateLines([]byte("{\"kind\":\"Sample\"}\n{}\n")); len(got) != 1 ||
		got[0] != "line 2: /: missing property 'kind'" {
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
		`{"items": {"type": "text"}}`:               "at '/items/type': value must be one of",
		`{"required": ["a"]}`:                       `#: "a" is required and not described`,
		`{"pattern": "("}`:                          "missing closing",
		`{"format": "email"}`:                       `format "email"`,
		`{"$ref": "other.json"}`:                    "other.json is another file",
		`{"oneOf": [{"typo": 1}]}`:                  `#/oneOf/0: unknown keyword "typo"`,
		`{"$ref": "#/$defs/none"}`:                  "not found",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
