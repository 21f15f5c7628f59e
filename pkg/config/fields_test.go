package config

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pathsOf are the paths of the fields of a type, as Fields should have them.
func pathsOf(t reflect.Type, path string) []string {
	var out []string
	switch {
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			name := join(path, t.Field(i).Tag.Get("yaml"))
			out = append(append(out, name), pathsOf(t.Field(i).Type, name)...)
		}
	case t.Kind() == reflect.Map:
		out = append(append(out, join(path, "*")), pathsOf(t.Elem(), join(path, "*"))...)
	}
	return out
}

func TestEveryFieldIsDescribed(t *testing.T) {
	var got []string
	for _, f := range Fields() {
		got = append(got, f.Name)
		if f.Text == "" {
			t.Errorf("%s has no description", f.Name)
		}
	}
	if diff := cmp.Diff(pathsOf(reflect.TypeFor[Bootstrap](), ""), got); diff != "" {
		t.Errorf("Fields (-types +described):\n%s", diff)
	}
}

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	data, err := Schema(Kind)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	var got []string
	var visit func(s map[string]any, path string)
	visit = func(s map[string]any, path string) {
		if path != "" {
			got = append(got, path)
		}
		if s["description"] == nil || s["type"] == nil {
			t.Errorf("%q has no description or type: %v", path, s)
		}
		if properties, ok := s["properties"].(map[string]any); ok {
			if s["additionalProperties"] != false {
				t.Errorf("%q takes any field", path)
			}
			for name, sub := range properties {
				visit(sub.(map[string]any), join(path, name))
			}
		} else if sub, ok := s["additionalProperties"].(map[string]any); ok {
			visit(sub, join(path, "*"))
		}
	}
	visit(root, "")
	want := pathsOf(reflect.TypeFor[Bootstrap](), "")
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema (-types +schema):\n%s", diff)
	}
	timeout := root["properties"].(map[string]any)["timeout"].(map[string]any)
	if timeout["default"] != "1h" || !regexp.MustCompile(timeout["pattern"].(string)).MatchString("1h30m") {
		t.Errorf("timeout: %v", timeout)
	}
}

func TestShortly(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Hour: "1h", 90 * time.Minute: "1h30m", 10 * time.Minute: "10m",
		3 * time.Second: "3s", 0: "0s"} {
		if got := shortly(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
		if back, err := time.ParseDuration(shortly(d)); err != nil || back != d {
			t.Errorf("%s reads back as %s (%v)", shortly(d), back, err)
		}
	}
}

// commented are the settings of init.yaml that stand as comments.
var commented = regexp.MustCompile(`(?m)^( *)#([a-zA-Z])`)

func TestInitialDocumentHasEveryFieldAndTheDefaults(t *testing.T) {
	f, err := Parse("init.yaml", ".", Initial())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), f.Bootstrap); diff != "" {
		t.Errorf("what is said is not the default (-want +got):\n%s", diff)
	}
	all, err := Parse("init.yaml", ".", commented.ReplaceAll(Initial(), []byte("$1$2")))
	if err != nil {
		t.Fatalf("with every comment that is a setting: %v", err)
	}
	if _, err := all.Validate(); err != nil {
		t.Errorf("with every comment that is a setting: %v", err)
	}
	for _, field := range Fields() {
		said := slices.ContainsFunc(slices.Sorted(maps.Keys(all.at)), func(path string) bool { return matches(field.Name, path) })
		if !said {
			t.Errorf("init.yaml does not show %s", field.Name)
		}
		if at, ok := all.at[field.Name]; ok && field.Example != "" && at.text != "" && at.text != field.Example {
			t.Errorf("init.yaml shows %s as %q, the table as %q", field.Name, at.text, field.Example)
		}
	}
	if width := slices.MaxFunc(strings.Split(initial, "\n"), func(a, b string) int { return len(a) - len(b) }); len(
		width) > 130 {
		t.Errorf("a line of %d characters: %s", len(width), width)
	}
}

// TestEverySchemaIsFinite makes the schema of every kind: a path may itself hold the star that patterns have.
func TestEverySchemaIsFinite(t *testing.T) {
	for _, kind := range Kinds() {
		if text, err := Schema(kind); err != nil || len(text) == 0 {
			t.Errorf("there is no schema of %s: %v", kind, err)
		}
	}
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"environments.*.defaults.*", "environments.*.defaults.a", true},
		{"environments.*.a", "environments.*.a", true},
		{"environments.*.a", "environments.dev.b", false},
		{"a.*.b.*.c", "a.x.b.y.c", true},
		{"a.*.b.*.c", "a.x.b.y", false},
		{"labels.*", "labels.app.kubernetes.io/name", true},
		{"labels.*", "labels.", false},
	} {
		if got := matches(tt.pattern, tt.path); got != tt.want {
			t.Errorf("matches(%q, %q) = %v", tt.pattern, tt.path, got)
		}
	}
}
