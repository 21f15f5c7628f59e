package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	builtin "github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
)

// baseline is the folder with what the last release promised to scripts. `make baseline` writes it, at a release and at
// no other time. Before the first release it is what was there when this test came.
const baseline = "testdata/baseline"

// promise is the command line as scripts depend on it. Hidden commands and flags are not promised.
type promise struct {
	Commands  map[string]commandPromise `json:"commands"`
	ExitCodes map[string]string         `json:"exitCodes"`
}

type commandPromise struct {
	Aliases    []string               `json:"aliases,omitempty"`
	Deprecated string                 `json:"deprecated,omitempty"`
	Flags      map[string]flagPromise `json:"flags,omitempty"`
}

type flagPromise struct {
	Short      string `json:"short,omitempty"`
	Type       string `json:"type"`
	Default    string `json:"default,omitempty"`
	Bare       string `json:"bare,omitempty"`
	Deprecated string `json:"deprecated,omitempty"`
}

// promisedBy is what this hcctl promises.
func promisedBy(root *cobra.Command) promise {
	p := promise{Commands: map[string]commandPromise{}, ExitCodes: map[string]string{}}
	visit(root, func(cmd *cobra.Command) {
		if cmd.Hidden && cmdutil.Deprecation(cmd.Annotations) == "" {
			return
		}
		c := commandPromise{Aliases: cmd.Aliases, Deprecated: cmdutil.Deprecation(cmd.Annotations),
			Flags: map[string]flagPromise{}}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			deprecated := cmdutil.FlagDeprecation(f)
			if f.Hidden && deprecated == "" {
				return
			}
			c.Flags[f.Name] = flagPromise{f.Shorthand, f.Value.Type(), f.DefValue, f.NoOptDefVal, deprecated}
		})
		p.Commands[cmd.CommandPath()] = c
	})
	for _, e := range cmdutil.ExitCodes() {
		p.ExitCodes[strconv.Itoa(e.Code)] = e.Meaning
	}
	return p
}

// broken says what a script that was written for old finds changed in p. Additions break nothing.
func (p promise) broken(old promise) []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(old.Commands)) {
		was := old.Commands[path]
		is, there := p.Commands[path]
		switch {
		case !there && was.Deprecated == "":
			out = append(out, path+" is gone and was not deprecated")
			continue
		case !there:
			continue
		}
		for _, alias := range was.Aliases {
			if !slices.Contains(is.Aliases, alias) {
				out = append(out, fmt.Sprintf("%s has no alias %s", path, alias))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(was.Flags)) {
			out = append(out, is.brokenFlag(path, name, was.Flags[name])...)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(old.ExitCodes)) {
		if p.ExitCodes[code] != old.ExitCodes[code] {
			out = append(out, fmt.Sprintf("exit code %s meant %q and means %q", code, old.ExitCodes[code], p.ExitCodes[code]))
		}
	}
	return out
}

func (c commandPromise) brokenFlag(path, name string, was flagPromise) []string {
	is, there := c.Flags[name]
	switch {
	case !there && was.Deprecated == "":
		return []string{fmt.Sprintf("%s --%s is gone and was not deprecated", path, name)}
	case !there:
		return nil
	}
	var out []string
	for _, value := range []struct{ what, was, is string }{
		{"type", was.Type, is.Type}, {"default", was.Default, is.Default}, {"value when it is bare", was.Bare, is.Bare},
		{"short form", was.Short, is.Short},
	} {
		// A new short form breaks nothing, and neither does a value that a flag may be given without.
		if value.was != value.is && (value.was != "" || value.what == "type" || value.what == "default") {
			out = append(out, fmt.Sprintf("%s --%s: the %s was %q and is %q", path, name, value.what, value.was, value.is))
		}
	}
	return out
}

// promisedNow is all that this hcctl promises, by the name of its file.
func promisedNow(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	text, err := json.MarshalIndent(promisedBy(tree()), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	out["commands.json"] = append(text, '\n')
	pages, err := fs.Glob(builtin.Checks, "checks/*.md")
	if err != nil || len(pages) < 60 {
		t.Fatalf("%d pages of checks, %v", len(pages), err)
	}
	var ids []string
	for _, name := range pages {
		page, err := builtin.Checks.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		title, _, _ := strings.Cut(string(page), "\n")
		ids = append(ids, strings.TrimPrefix(title, "# "))
	}
	if text, err = json.MarshalIndent(ids, "", " "); err != nil {
		t.Fatal(err)
	}
	out["checks.json"] = append(text, '\n')
	schemas, err := filepath.Glob("../../docs/schema/*.json")
	if err != nil || len(schemas) < 20 {
		t.Fatalf("%d schemas, %v", len(schemas), err)
	}
	for _, name := range schemas {
		if out["output-"+filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range config.Kinds() {
		code, schema, errs := run(t, "config", "schema", kind)
		if code != 0 {
			t.Fatalf("config schema %s: %s", kind, errs)
		}
		out["file-"+strings.ToLower(kind)+".json"] = []byte(schema)
	}
	return out
}

// TestNothingThatWasPromisedIsBroken compares this hcctl with the last release: commands and flags, exit codes, the
// schemas of what it writes (JSON, events) and of the files that it reads. A change that is meant, before 1.0, is a
// line of changes.txt with its reason.
func TestNothingThatWasPromisedIsBroken(t *testing.T) {
	now := promisedNow(t)
	if os.Getenv("HCCTL_BASELINE") != "" {
		if err := os.RemoveAll(baseline); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(baseline, 0o750); err != nil {
			t.Fatal(err)
		}
		now["changes.txt"] = []byte("# What may be broken since this baseline: a finding a line, with \" # \" and its reason.\n")
		for name, text := range now {
			if err := os.WriteFile(filepath.Join(baseline, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	meant := map[string]bool{}
	for line := range strings.Lines(string(readBaseline(t, "changes.txt"))) {
		finding, reason, explained := strings.Cut(strings.TrimSpace(line), " # ")
		if strings.HasPrefix(line, "#") || finding == "" {
			continue
		}
		if !explained || reason == "" {
			t.Errorf("changes.txt: %q has no reason", finding)
		}
		meant[finding] = false
	}
	names, err := os.ReadDir(baseline)
	if err != nil || len(names) < 25 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, entry := range names {
		if entry.Name() == "changes.txt" {
			continue
		}
		for _, finding := range compare(t, entry.Name(), readBaseline(t, entry.Name()), now[entry.Name()]) {
			if _, ok := meant[finding]; ok {
				meant[finding] = true
				continue
			}
			t.Errorf("%s\n\tScripts of the last release break. Keep it, or deprecate it first (docs/stability.md); if it is meant\n"+
				"\tbefore 1.0, add this line with \" # REASON\" to pkg/cli/testdata/baseline/changes.txt.", finding)
		}
	}
	for finding, found := range meant {
		if !found {
			t.Errorf("changes.txt names %q, which is not so: take it out", finding)
		}
	}
}

func readBaseline(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(baseline, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// compare says what is broken in one file of the baseline.
func compare(t *testing.T, name string, old, now []byte) []string {
	t.Helper()
	if now == nil {
		return []string{name + " is gone"}
	}
	if name == "commands.json" {
		var was, is promise
		decode(t, name, old, &was)
		decode(t, name, now, &is)
		return is.broken(was)
	}
	if name == "checks.json" {
		var was, is, out []string
		decode(t, name, old, &was)
		decode(t, name, now, &is)
		for _, id := range was {
			if !slices.Contains(is, id) {
				out = append(out, "the check "+id+" is gone")
			}
		}
		return out
	}
	var was, is map[string]any
	decode(t, name, old, &was)
	decode(t, name, now, &is)
	return brokenSchema(strings.TrimSuffix(name, ".json"), was, is, strings.HasPrefix(name, "file-"))
}

func decode(t *testing.T, name string, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
