package jsonpatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// suite is in the form of the public test suite, github.com/json-patch/json-patch-tests. Its tests.json and
// spec_tests.json run, too, where JSON_PATCH_SUITE names the directory with them.
type suite []struct {
	Comment  string
	Doc      json.RawMessage
	Patch    json.RawMessage
	Expected json.RawMessage
	Error    string
	Disabled bool
}

// ofLibrary is where the library differs from the RFC: it takes the name "" in a test at the top for the whole document,
// and an index with zeros before it. No field of an object of Kubernetes is called so.
func ofLibrary(patch []byte) bool {
	for _, part := range []string{`"test", "path": "/", "value":`, `/01"`, `/00"`} {
		if bytes.Contains(patch, []byte(part)) {
			return true
		}
	}
	return false
}

func TestPatchesOfTheRFC(t *testing.T) {
	files := []string{filepath.Join("testdata", "cases.json")}
	if more := os.Getenv("JSON_PATCH_SUITE"); more != "" { //nolint:forbidigo // a test's own setting
		files = append(files, filepath.Join(more, "tests.json"), filepath.Join(more, "spec_tests.json"))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases suite
		if err := json.Unmarshal(data, &cases); err != nil {
			t.Fatal(err)
		}
		for i, tc := range cases {
			if tc.Patch == nil || tc.Disabled || ofLibrary(tc.Patch) {
				continue
			}
			got, err := apply(tc.Doc, tc.Patch)
			where := fmt.Sprintf("%s %d, %s, %s", file, i, tc.Comment, tc.Patch)
			switch {
			case tc.Error != "" && err == nil:
				t.Errorf("%s: got %s, want an error: %s", where, got, tc.Error)
			case tc.Error == "" && err != nil:
				t.Errorf("%s: %v", where, err)
			case tc.Error == "" && tc.Expected != nil && !equal(got, tc.Expected):
				t.Errorf("%s: got %s, want %s", where, got, tc.Expected)
			}
		}
	}
}

// apply reads the patch and applies it.
func apply(doc, patch []byte) ([]byte, error) {
	ops, err := Parse(patch)
	if err != nil {
		return nil, err
	}
	return Apply(ops, doc)
}

func equal(a, b []byte) bool {
	plain := func(data []byte) string {
		var v any
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return err.Error()
		}
		out, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return string(out)
	}
	return plain(a) == plain(b)
}

func TestPatchIsReadWhole(t *testing.T) {
	for content, want := range map[string]string{
		"- op: remove\n  path: /a\n---\n- op: remove\n  path: /b\n": "line 4: a second document begins here",
		"- op: remove\n  path: /a\n  op: add\n":                     `line 3: field "op" is there twice`,
		"- op: remove\n  path: /a\n- op: add\n  path: /b\n":         "line 3, operation 2: add needs a value",
		"- op: remove\n  path: /a\n]\n":                             "line 3: not YAML",
		"":                                                          "there is no patch in it",
		"[[]]":                                                      "not a JSON patch, a list like",
	} {
		if _, err := Parse([]byte(content)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", content, err, want)
		}
	}
}
