package sanitize

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// hostile are strings that a document must neither hide nor fail for.
var hostile = []string{
	"plain", "", "two\nlines\n", "\x1b[2J", "\x7f", "\u0080\u0085\u009b", "\u202eevil\u2066", "\u200b\ufeff",
	"\u2028\u2029", "\U000e0041\U0001f600", "\ufffe\U0001ffff",
	"\ufe0f\u3164\u2800", `quote " and \ and \u202e`, "a: b # c", "- \u202e", "tab\tand\x00", strings.Repeat("k\u202e",
		1000), "<b> & 'c'\u009b",
}

// checkDocuments fails unless both documents of v show all they have, and are v when they are read.
func checkDocuments(t *testing.T, v any) {
	t.Helper()
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	if err := NewJSONEncoder(&stream).Encode(v); err != nil {
		t.Fatal(err)
	}
	whole, err := JSON(v)
	if err != nil {
		t.Fatal(err)
	}
	text, err := YAML(v)
	if err != nil {
		t.Fatalf("YAML of %.200q: %v", want, err)
	}
	read, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatalf("%.200q cannot be read: %v", text, err)
	}
	for name, document := range map[string][]byte{"a line": stream.Bytes(), "indented": whole, "YAML": text} {
		if !fits(document) {
			t.Errorf("%s hides something: %.300q", name, document)
		}
		if name == "YAML" {
			document = read
		}
		var got, expected any
		if err := json.Unmarshal(document, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(want, &expected); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s is another value (-want +got): %s", name, diff)
		}
	}
}

func TestDocumentsHideNothingAndLoseNothing(t *testing.T) {
	all := map[string]any{"number": 12345678901234567, "half": 0.5, "none": nil, "list": hostile}
	for _, s := range hostile {
		checkDocuments(t, map[string]any{"value": s, "key of " + s: []any{s, map[string]any{s: true}}})
		all["x"+s] = s
	}
	checkDocuments(t, all)
	first, err := YAML(all)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if again, _ := YAML(all); !bytes.Equal(first, again) {
			t.Fatal("the same object is another text")
		}
	}
}

func FuzzDocuments(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		checkDocuments(t, map[string]any{"a": value, key + "k": []any{value, true}, "n": 1})
	})
}

func TestXML(t *testing.T) {
	type element struct {
		Name string `xml:"name,attr"`
		Text string `xml:",chardata"`
	}
	in := element{"\u202e\u009b", "a\x7f\u2066\u2028 & <b>"}
	data, err := xml.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out element
	if data = XML(data); !fits(data) {
		t.Errorf("it hides something: %q", data)
	}
	if err := xml.Unmarshal(data, &out); err != nil || out != in {
		t.Errorf("%q, %v", out, err)
	}
}
