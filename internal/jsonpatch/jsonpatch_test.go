package jsonpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// suite is in the form of the public test suite, github.com/json-patch/json-patch-tests.
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

// publicCases are the least number of cases that the public suite has.
const publicCases = 110

// publicSuite is the public test suite as Open Policy Agent carries it (Apache License 2.0), in the two parts of the
// original: the module proxy does not serve the suite itself. Few of its cases are left out there.
func publicSuite(t *testing.T) map[string]suite {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/open-policy-agent/opa")
	download.Dir = filepath.Join("..", "..", "hack", "suites")
	out, err := download.Output()
	var module struct{ Dir, Error string }
	if errors.Join(err, json.Unmarshal(out, &module)) != nil || module.Error != "" {
		t.Fatalf("go mod download: %v %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(module.Dir, "v1", "test", "cases", "testdata", "v1", "jsonpatch",
		"json-patch-tests.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []struct{ Modules []string } }
	if err := yaml.Unmarshal(data, &file); err != nil || len(file.Cases) != 1 {
		t.Fatalf("%d cases, %v", len(file.Cases), err)
	}
	trailing, suites, n := regexp.MustCompile(`,(\s*[\]}])`), map[string]suite{}, 0
	for _, rego := range file.Cases[0].Modules {
		head, list, is := strings.Cut(rego, "cases := [")
		if !is || !strings.HasPrefix(head, "package json_patch_cases.") {
			continue
		}
		var cases suite
		if err := json.Unmarshal([]byte(trailing.ReplaceAllString("["+list, "$1")), &cases); err != nil {
			t.Fatalf("%s: %v", head, err)
		}
		suites[strings.TrimSpace(head)], n = cases, n+len(cases)
	}
	if n < publicCases {
		t.Fatalf("%d cases, want %d", n, publicCases)
	}
	return suites
}

func TestPatchesOfTheRFC(t *testing.T) {
	own, err := os.ReadFile(filepath.Join("testdata", "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases suite
	if err := json.Unmarshal(own, &cases); err != nil {
		t.Fatal(err)
	}
	all := publicSuite(t)
	all["testdata/cases.json"] = cases
	for file, cases := range all {
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
