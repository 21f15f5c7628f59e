package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/licensecheck"
)

// textOf is the text of a licence, made of the pattern by which it is known.
func textOf(t *testing.T, id string) []byte {
	t.Helper()
	for _, l := range licensecheck.BuiltinLicenses() {
		if l.ID != id {
			continue
		}
		var b strings.Builder
		for _, line := range strings.Split(l.LRE, "\n") {
			if !strings.Contains(line, "//**") && !strings.Contains(line, "((") && !strings.Contains(line, "))") &&
				!strings.Contains(line, "__") {
				b.WriteString(line + "\n")
			}
		}
		return []byte(b.String())
	}
	t.Fatalf("no licence %s is known", id)
	return nil
}

func TestJudge(t *testing.T) {
	own, err := os.ReadFile(filepath.Join("..", "..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		files []file
		want  string
	}{
		"allowed":   {[]file{read("LICENSE", own)}, ""},
		"none":      {nil, "has no file with a licence"},
		"unknown":   {[]file{read("LICENSE", []byte("All rights reserved. Ask Bob first."))}, "is no licence that is known"},
		"forbidden": {[]file{{name: "LICENSE", names: []string{"GPL-3.0"}, percent: 100}}, "has the licence GPL-3.0"},
		"one of two": {[]file{read("LICENSE", own), {name: "a/COPYING", names: []string{"AGPL-3.0"}, percent: 100}},
			"a/COPYING has the licence AGPL-3.0"},
		"with more": {[]file{read("LICENSE", append(own,
			[]byte(strings.Repeat("You must also send us your data. ", 1000))...))}, "is no licence that is known"},
		"read GPL": {[]file{read("LICENSE", textOf(t, "AGPL-3.0"))}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := module{path: "m", version: "v1", files: tc.files}.judge(allowed())
			if name == "read GPL" {
				if err == nil {
					t.Error("a text of the AGPL was taken")
				}
				return
			}
			if tc.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestSandboxAlone has one licence allowed for the sandbox that hcctl may not have.
func TestSandboxAlone(t *testing.T) {
	for id, in := range map[string][2]bool{"EPL-2.0": {false, true}, "AGPL-3.0": {false, false}, "MPL-2.0": {true, true}} {
		m := module{path: "m", version: "v1", files: []file{read("LICENSE", textOf(t, id))}}
		if got := [2]bool{m.judge(hcctl.allowed) == nil, m.judge(sandbox.allowed) == nil}; got != in {
			t.Errorf("%s is allowed in hcctl and in the sandbox: %v, want %v", id, got, in)
		}
	}
}

func TestFilesThatHoldLicences(t *testing.T) {
	for name, want := range map[string]bool{"LICENSE": true, "LICENCE.txt": true, "COPYING": true, "license-mit": true,
		"LICENSE.libyaml": true, "licenses.go": false, "README.md": false, "UNLICENSE": true} {
		if got := licenceFile.MatchString(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
