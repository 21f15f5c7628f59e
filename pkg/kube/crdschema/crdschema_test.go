package crdschema

import (
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := utiljson.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(text, err)
	}
	return v
}

// TestRules has the words of CEL that rules of HyperShift use. What fails does not hold, as with an API server.
func TestRules(t *testing.T) {
	for _, tc := range []struct {
		rule, value  string
		holds, known bool
	}{
		{"self == 'a'", `"a"`, true, true},
		{"self.a > 0 && self.b <= 2", `{"a": 1, "b": 2}`, true, true},
		{"has(self.a)", `{}`, false, true},
		{"has(self.a.b)", `{}`, false, true},
		{"has(self.a.b) || true", `{}`, true, true},
		{"!has(self.a) || self.a == 1", `{"a": 2}`, false, true},
		{"self.t == 'x' ? has(self.a) : !has(self.a)", `{"t": "y"}`, true, true},
		{"self.t == 'x' ? has(self.a) : !has(self.a)", `{"t": "x"}`, false, true},
		{"self.all(x, x != 2)", `[1, 2]`, false, true},
		{"self.exists(x, x.k == 'v')", `[{"k": "w"}, {"k": "v"}]`, true, true},
		{"size(self) >= 2", `[1]`, false, true},
		{"self.size() == 3", `"äöü"`, true, true},
		{"self in ['a', \"b\"]", `"b"`, true, true},
		{"self.split('/', 2)[1] == 'b/c'", `"a/b/c"`, true, true},
		{"self.split('/', 2)[1] == 'b'", `"a"`, false, true},
		{"self.matches('^\\\\d+$')", `"12"`, true, true},
		{"self.find('@') == ''", `"a@b"`, false, true},
		{"self.?a.b.hasValue()", `{"a": {"b": 1}}`, true, true},
		{"self.?a.b.hasValue()", `{}`, false, true},
		{"self.?a.orValue('') == ''", `{}`, true, true},
		{"isCIDR(self) && cidr(self).ip().family() == 6", `"fd01::/48"`, true, true},
		{"isCIDR(self) && cidr(self).ip().family() == 6", `"10.0.0.0/8"`, false, true},
		{"isURL(self) && url(self).getQuery() == {}", `"https://a.example/?x=1"`, false, true},
		{"url(self).getScheme() == 'https'", `"http://a.example"`, false, true},
		{"duration(self).getSeconds() >= 300", `"4m"`, false, true},
		{"self == oldSelf", `"a"`, true, false},
		{"self.lowerAscii() == 'a'", `"a"`, true, false},
		{"unknown == 1", `1`, true, false},
		{"self ==", `1`, true, false},
		{"has()", `1`, true, false},
		{"self.getScheme() == 'https'", `1`, false, true},
		{"self.a.map(x, x)", `{}`, true, false},
	} {
		holds, known := Rule(tc.rule, parsed(t, tc.value))
		if holds != tc.holds || known != tc.known {
			t.Errorf("%s of %s: holds %v, known %v", tc.rule, tc.value, holds, known)
		}
	}
}

// TestProblems has each kind of refusal once.
func TestProblems(t *testing.T) {
	fields, _ := parsed(t, `{"type": "object", "required": ["n"], "properties": {
		"n": {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-z]*$"},
		"i": {"type": "integer", "minimum": 1, "maximum": 5, "format": "int32"},
		"q": {"x-kubernetes-int-or-string": true, "pattern": "^[0-9]+Gi$"},
		"e": {"type": "string", "enum": ["A", "B"], "default": "A"},
		"l": {"type": "array", "maxItems": 2, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
			"items": {"type": "object", "properties": {"k": {"type": "string"}}}},
		"s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
		"m": {"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 1},
		"b": {"type": "boolean", "nullable": true},
		"r": {"type": "object", "properties": {"e": {"type": "string", "default": "A"}},
			"x-kubernetes-validations": [{"rule": "self.e == 'A'"}]},
		"open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}`).(map[string]any)
	s := New(fields, "Thing")
	for value, want := range map[string]string{
		`{"n": "ab", "i": 5, "q": 7, "e": "B", "l": [{"k": "a"}], "s": ["a"], "m": {"x": "y"}, "b": null, "r": {}, "open": {"x": 1}}`: "",
		`{"n": "ab", "i": null, "e": null}`: "",
		`{}`:                                "n is required",
		`{"n": "a"}`:                        "n is 1 characters long, and has to be 2 at least",
		`{"n": "abcd"}`:                     "n is 4 characters long, and may be 3 at most",
		`{"n": "A1"}`:                       `n "A1" has to match ^[a-z]*$`,
		`{"n": "ab", "i": "1"}`:             `i is "1", but has to be a whole number`,
		`{"n": "ab", "i": 0}`:               "i is 0, and has to be 1 at least",
		`{"n": "ab", "q": "7"}`:             `q "7" has to match ^[0-9]+Gi$`,
		`{"n": "ab", "e": "C"}`:             `e "C": use one of A, B`,
		`{"n": "ab", "l": {}}`:              "l is a map, but has to be a list",
		`{"n": "ab", "l": [{"k": "a"}, {"k": "a"}]}`:     "l[1] is there twice: l[0] is the same one",
		`{"n": "ab", "s": ["a", "b", "a"]}`:              "s[2] is there twice: s[0] is the same one",
		`{"n": "ab", "l": [{}, {"k": "a"}, {"k": "b"}]}`: "l is 3 items long, and may be 2 at most",
		`{"n": "ab", "l": [{"j": "a"}]}`:                 "l[0].j is not a field of Thing; did you mean k?",
		`{"n": "ab", "m": {"x": "y", "z": "y"}}`:         "m is 2 fields long, and may be 1 at most",
		`{"n": "ab", "b": "yes"}`:                        `b is "yes", but has to be true or false`,
		`{"n": "ab", "r": {"e": "B"}}`:                   "r breaks a rule of the API: self.e == 'A'",
		`{"n": "ab", "i": 1.5}`:                          "i is 1.5, but has to be a whole number",
	} {
		got := ""
		for _, p := range s.Problems(parsed(t, value)) {
			got = strings.TrimSpace(got + "\n" + p.Path + " " + p.Detail)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}
