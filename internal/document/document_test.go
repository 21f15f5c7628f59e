package document

import (
	"errors"
	"strings"
	"testing"
)

func TestReadWhole(t *testing.T) {
	for name, tc := range map[string]struct {
		content, want string
		lines         []int
	}{
		"one":                        {content: "a: 1\n", lines: []int{1}},
		"two":                        {content: "a: 1\n---\nb: 2\n", lines: []int{1, 3}},
		"content beside the marker":  {content: "a: 1\n--- {b: 2}\n", lines: []int{1, 2}},
		"after the end of one":       {content: "a: 1\n...\n\n---\nb: 2\n", lines: []int{1, 5}},
		"empty ones between":         {content: "---\n# no\n---\na: 1\n---\n---\nb: 2\n", lines: []int{4, 7}},
		"marker within a text":       {content: "a: |\n  ---\n  b\n---\nb: 2\n", lines: []int{1, 5}},
		"byte order mark":            {content: "\xef\xbb\xbfa: 1\n", lines: []int{1}},
		"carriage returns":           {content: "a: 1\r\n---\r\nb: 2\r\n", lines: []int{1, 3}},
		"old line ends":              {content: "a: \"x\u2028y\"\n---\nb: 2\n", lines: []int{1, 4}},
		"JSON":                       {content: "{\"a\": 1}\n", lines: []int{1}},
		"several of JSON":            {content: "{\"a\": 1}\n{\"b\": 2}", lines: []int{1, 2}},
		"several of JSON, one twice": {content: "{\"a\": 1}\n\n{\"b\": 2,\n\"b\": 3}", want: `line 4: field "b" is there twice`},
		"JSON and no more of it":     {content: "{\"a\": 1} b", want: "line 1: not YAML: did not find expected <document start>"},
		"JSON with a tail":           {content: "{\"a\": 1}\n}", want: "line 2: not YAML: did not find expected <document start>"},
		"twice in the second":        {content: "a: 1\n---\nb: 2\nc: 1\nb: 3\n", want: `line 5: field "b" is there twice`},
		"tail":                       {content: "a: 1\n]\n", want: "line 2: not YAML: did not find expected key"},
		"JSON twice":                 {content: "{\"a\": [\n{\"b\": 1,\n\"b\": 2}]}", want: `line 3: field "a[0].b" is there twice`},
		"JSON that is no YAML":       {content: `{"a": "\ud83d\ude00"}`, lines: []int{1}},
		"tab":                        {content: "a:\n\tb: 1\n", want: "line 2: not YAML: the line is indented with a tab; YAML takes only spaces there"},
		"empty":                      {content: "# no\n---\n", want: "there is nothing in it"},
		"UTF-16":                     {content: "\xff\xfea\x00", want: "the text is UTF-16; save it as UTF-8"},
		"zero":                       {content: "a: 1\nb: \x00", want: "line 2: there is a zero byte; this is no text"},
		"secret in an alias":         {content: "a: 1\npassword: *hush\n", want: "line 2: not YAML: a value that begins with * has to be quoted"},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := Read([]byte(tc.content))
			if tc.want != "" {
				if err == nil || err.Error() != tc.want {
					t.Errorf("got %v, want %s", err, tc.want)
				}
				return
			}
			if err != nil || len(all) != len(tc.lines) {
				t.Fatalf("got %d documents, %v; want %d", len(all), err, len(tc.lines))
			}
			for i, d := range all {
				if d.Line != tc.lines[i] {
					t.Errorf("document %d is said to begin in line %d, not %d", i+1, d.Line, tc.lines[i])
				}
				if want := string("ab"[i]); len(all) == 2 && !strings.Contains(string(d.JSON), `"`+want+`"`) {
					t.Errorf("document %d is %s", i+1, d.JSON)
				}
			}
		})
	}
}

func TestDecodeSaysTheLine(t *testing.T) {
	type item struct {
		Name string            `json:"name"`
		More map[string]string `json:"more"`
	}
	for content, want := range map[string]string{
		"- name: a\n- name: b\n  other: c\n":          `line 3: unknown field "[1].other"`,
		"- name: a\n  Name: b\n":                      `line 2: unknown field "[0].Name"`,
		"- name: a\n- name: [b]\n":                    `line 1: field "name" has an unexpected array`,
		"name: a\n":                                   "line 1: an unexpected object",
		"- &a {name: a}\n- <<: *a\n":                  "",
		"- name: a\n  more: {a.b: c, \"[x]\": \"d\"}": "",
	} {
		d, err := One([]byte(content), "items")
		if err != nil {
			t.Fatal(err)
		}
		var into []item
		err = d.Decode(&into)
		if (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("%q: got %v, want %s", content, err, want)
		}
	}
	var wrong *Error
	if _, err := One([]byte("a: 1\n---\nb: 2\n"), "a map"); !errors.As(err, &wrong) || wrong.Line != 3 {
		t.Errorf("got %v, want the line of the second document", err)
	}
	d, err := One([]byte("metadata:\n  labels:\n    a.b/c: d\n    e: f\n"), "an object")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"metadata": 1, "metadata.labels.a.b/c": 3, "metadata.labels.e": 4,
		"metadata.labels.g": 2, "spec": 1} {
		if got := d.LineOf(path); got != want {
			t.Errorf("%s is said to be in line %d, not %d", path, got, want)
		}
	}
}
