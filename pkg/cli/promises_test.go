package cli

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/internal/golden"
)

const (
	// promisesFile pins what docs/stability.md promises; releasedDirectory has that of each release (make baseline).
	promisesFile      = "testdata/promises.txt"
	releasedDirectory = "testdata/released"
	deprecated        = " (deprecated)"
)

// promises are words that scripts rely on, such as flags or JSON fields, by the command or object that they belong to.
type promises map[string][]string

func (p promises) add(owner string, words ...string) { p[owner] = append(p[owner], words...) }

// String is the form of promises.txt: owners of the same words stand one below the other, their words below them.
func (p promises) String() string {
	owners := map[string][]string{}
	for owner, words := range p {
		var b strings.Builder
		width := 0
		for i, word := range slices.Compact(slices.Sorted(slices.Values(words))) {
			switch width += len(word) + 2; {
			case i == 0:
				b.WriteString("  ")
			case width > 160:
				b.WriteString("\n  ")
				width = len(word) + 2
			default:
				b.WriteString("  ")
			}
			b.WriteString(word)
		}
		owners[b.String()] = append(owners[b.String()], owner)
	}
	for _, same := range owners {
		slices.Sort(same)
	}
	var out strings.Builder
	for _, words := range slices.SortedFunc(maps.Keys(owners), func(a, b string) int {
		return cmp.Compare(owners[a][0], owners[b][0])
	}) {
		out.WriteString(strings.Join(owners[words], "\n") + "\n" + words + "\n")
	}
	return out.String()
}

// parsePromises reads what String writes.
func parsePromises(text string) promises {
	p := promises{}
	var owners []string
	words := true
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if list, ok := strings.CutPrefix(line, "  "); ok {
			words = true
			for _, owner := range owners {
				p.add(owner, strings.Split(list, "  ")...)
			}
			continue
		}
		if words {
			owners, words = nil, false
		}
		owners = append(owners, line)
	}
	return p
}

// broken returns what was promised in old and is not kept by p. Additions break nothing; what was deprecated may go.
// A star marks a field that is always there: output may gain one, a file may lose one.
func (p promises) broken(old promises) []string {
	var out []string
	for _, owner := range slices.Sorted(maps.Keys(old)) {
		now, is := p[owner]
		if later, ok := p[owner+deprecated]; ok {
			now, is = later, true
		}
		if !is {
			if !strings.HasSuffix(owner, deprecated) {
				out = append(out, owner+" is gone")
			}
			continue
		}
		file := strings.HasPrefix(owner, "file ")
		for _, word := range old[owner] {
			if !slices.ContainsFunc(now, func(is string) bool {
				return is == word || is == word+deprecated || is == word+"*" || file && is+"*" == word
			}) && !strings.HasSuffix(word, deprecated) {
				out = append(out, fmt.Sprintf("%s: %q is gone%s", owner, word, instead(now, word)))
			}
		}
		for _, word := range now {
			if file && strings.HasSuffix(word, "*") && !slices.Contains(old[owner], word) {
				out = append(out, fmt.Sprintf("%s: %q is required", owner, word))
			}
		}
	}
	return out
}

// instead names the word of the same flag or field that there is now.
func instead(now []string, word string) string {
	name, _, described := strings.Cut(strings.TrimSuffix(word, "*"), " ")
	if !described || name == "hcctl" {
		return ""
	}
	for _, other := range now {
		if found, _, _ := strings.Cut(strings.TrimSuffix(other, "*"), " "); found == name {
			return fmt.Sprintf(", there is %q", other)
		}
	}
	return ""
}

// TestNothingPromisedIsBroken compares this hcctl with promises.txt, and with each release. An update of the golden
// files adds to promises.txt and takes nothing out.
func TestNothingPromisedIsBroken(t *testing.T) {
	now := promisedNow(t)
	if version := os.Getenv("HCCTL_BASELINE"); version != "" {
		if err := os.MkdirAll(releasedDirectory, 0o750); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(filepath.Join(releasedDirectory, version+".txt"), []byte(now.String()), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	findings := brokenSince(t, now, promisesFile)
	for _, finding := range slices.Concat(findings, brokenSince(t, now, releasedFiles(t, releasedDirectory)...)) {
		t.Errorf("%s\n\tScripts break. Keep it, or deprecate it first (docs/stability.md). If it is meant before 1.0, take its words\n"+
			"\tout of that file by hand, and say so in CHANGELOG.md.", finding)
	}
	if len(findings) == 0 {
		golden.File(t, promisesFile, now.String())
	}
}

// releasedFiles are the files of released versions: none before the first release.
func releasedFiles(t *testing.T, directory string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// brokenSince returns what the files promise and is not kept.
func brokenSince(t *testing.T, now promises, files ...string) []string {
	t.Helper()
	var out []string
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range now.broken(parsePromises(string(text))) {
			out = append(out, path+": "+finding)
		}
	}
	return out
}

// TestBrokenPromisesAreFound changes commands and schemas in every way that breaks scripts, and in ways that do not.
func TestBrokenPromisesAreFound(t *testing.T) {
	const commands = "commands\n  hcctl a  hcctl b (deprecated)\nexit codes\n  0 done\nhcctl a\n  --x string=1  -x --x  also c\n"
	const schema = `{"required": ["a"], "properties": {"a": {"type": "string", "enum": ["v", "w"]},
		"l": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
		"$defs": {"item": {"properties": {"n": {"type": "integer"}, "below": {"$ref": "#/$defs/item"}}}}}`
	for _, tt := range []struct {
		name, owner, old, from, to, want string
	}{
		{"nothing", "", commands, "", "", ""},
		{"a deprecated command goes", "", commands, "  hcctl b (deprecated)", "", ""},
		{"a command goes", "", commands, "  hcctl a  ", "  ", `commands: "hcctl a" is gone`},
		{"its flags go", "", commands, "hcctl a\n", "hcctl d\n", "hcctl a is gone"},
		{"it is deprecated", "", commands, "hcctl a\n", "hcctl a (deprecated)\n", ""},
		{"a flag goes", "", commands, "--x string=1  ", "", `hcctl a: "--x string=1" is gone`},
		{"a flag is deprecated", "", commands, "string=1", "string=1 (deprecated)", ""},
		{"a default", "", commands, "=1", "=2", `hcctl a: "--x string=1" is gone, there is "--x string=2"`},
		{"a short form", "", commands, "-x --x", "-y --x", `hcctl a: "-x --x" is gone`},
		{"an alias", "", commands, "also c", "also d", `hcctl a: "also c" is gone, there is "also d"`},
		{"an exit code", "", commands, "0 done", "0 failed  7 new", `exit codes: "0 done" is gone, there is "0 failed"`},
		{"a field of output comes", "output a", schema, `"l": {`, `"new": {"type": "string"}, "l": {`, ""},
		{"a field of output goes", "output a", schema, `"l": {`, `"m": {`,
			"output a: \"l []any\" is gone\noutput a.l[] is gone"},
		{"it is not always there", "output a", schema, `["a"]`, `[]`,
			`output a: "a string*" is gone, there is "a string"`},
		{"another always is", "output a", schema, `["a"]`, `["a", "l"]`, ""},
		{"a type below a reference", "output a", schema, "integer", "string",
			`output a.l[]: "n integer" is gone, there is "n string"`},
		{"null comes", "output a", schema, `"string"`, `["string", "null"]`,
			`output a: "a string*" is gone, there is "a string|null*"`},
		{"a value of a file goes", "file a", schema, `["v", "w"]`, `["v"]`, `file a: "a=w" is gone`},
		{"a value of a file comes", "file a", schema, `["v", "w"]`, `["v", "w", "x"]`, ""},
		{"a file needs a field", "file a", schema, `["a"]`, `["a", "l"]`,
			`file a: "l []any*" is required`},
		{"a file needs it no more", "file a", schema, `["a"]`, `[]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read := func(text string) promises {
				if tt.owner == "" {
					return parsePromises(text)
				}
				p := promises{}
				p.addSchema(t, tt.owner, []byte(text))
				return p
			}
			changed := strings.Replace(tt.old, tt.from, tt.to, 1)
			if changed == tt.old && tt.from != "" {
				t.Fatal("nothing was changed")
			}
			got := strings.Join(read(changed).broken(read(tt.old)), "\n")
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestAReleaseIsComparedWith has a release that promised a flag that was never there.
func TestAReleaseIsComparedWith(t *testing.T) {
	directory := t.TempDir()
	if files := releasedFiles(t, directory); len(files) > 0 {
		t.Errorf("releases of an empty directory: %q", files)
	}
	now := promisedNow(t)
	if diff := gocmp.Diff(now.String(), parsePromises(now.String()).String()); diff != "" {
		t.Errorf("promises read back (-want +got):\n%s", diff)
	}
	then := parsePromises(now.String())
	then.add("hcctl check", "--never bool")
	if err := os.WriteFile(filepath.Join(directory, "v0.1.0.txt"), []byte(then.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(directory, "v0.1.0.txt") + `: hcctl check: "--never bool" is gone`}
	if diff := gocmp.Diff(want, brokenSince(t, now, releasedFiles(t, directory)...)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
