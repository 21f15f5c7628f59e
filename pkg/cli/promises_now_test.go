package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	builtin "github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
)

// addCommands adds commands, their aliases and flags. Hidden ones are promised only while they are deprecated.
func (p promises) addCommands(root *cobra.Command) {
	visit(root, func(cmd *cobra.Command) {
		owner := cmd.CommandPath()
		switch old := cmdutil.Deprecation(cmd.Annotations) != ""; {
		case old:
			owner += deprecated
		case cmd.Hidden:
			return
		}
		p.add("commands", owner)
		for _, alias := range cmd.Aliases {
			p.add(owner, "also "+alias)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			old := cmdutil.FlagDeprecation(f) != ""
			if f.Name == "help" || f.Hidden && !old {
				return
			}
			word := "--" + f.Name + " " + f.Value.Type()
			if !slices.Contains([]string{"", "[]", "false", "0", "0s"}, f.DefValue) {
				word += "=" + f.DefValue
			}
			if f.NoOptDefVal != "" && f.Value.Type() != "bool" && f.Value.Type() != "count" {
				word += " bare=" + f.NoOptDefVal
			}
			if old {
				word += deprecated
			}
			p.add(owner, word)
			if f.Shorthand != "" {
				p.add(owner, "-"+f.Shorthand+" --"+f.Name)
			}
		})
	})
}

// schemaPromises adds the objects of a JSON schema. A file's values are promised, too: what was allowed stays allowed.
type schemaPromises struct {
	promises
	root map[string]any
	file bool
}

// addObject adds the fields of one object. Those that contain themselves end where they begin again.
func (s schemaPromises) addObject(at string, schema map[string]any, above ...string) {
	schema = withoutDefaults(schema)
	if ref, ok := schema["$ref"].(string); ok {
		if slices.Contains(above, ref) {
			return
		}
		above = append(slices.Clone(above), ref)
		schema = s.resolved(schema)
	}
	for _, form := range manyOf(schema["oneOf"]) {
		ref, _ := schemaOf(form)["$ref"].(string)
		s.addObject(at+"<"+ref[strings.LastIndex(ref, "/")+1:]+">", schemaOf(form), above...)
	}
	for _, items := range []struct{ key, mark string }{{"items", "[]"}, {"additionalProperties", ".*"}} {
		if item := schemaOf(schema[items.key]); item != nil {
			s.addObject(at+items.mark, item, above...)
		}
	}
	properties := schemaOf(schema["properties"])
	for name := range properties {
		property := schemaOf(properties[name])
		word := name + " " + s.typeOf(property)
		if slices.Contains(manyOf(schema["required"]), any(name)) {
			word += "*"
		}
		s.add(at, word)
		for _, value := range manyOf(s.resolved(property)["enum"]) {
			if s.file {
				s.add(at, fmt.Sprintf("%s=%v", name, value))
			}
		}
		s.addObject(at+"."+name, property, above...)
	}
}

// typeOf is a type in short, such as []string.
func (s schemaPromises) typeOf(schema map[string]any) string {
	schema = s.resolved(schema)
	item, value := schemaOf(schema["items"]), schemaOf(schema["additionalProperties"])
	switch kinds := manyOf(schema["type"]); {
	case item != nil:
		return "[]" + s.typeOf(item)
	case value != nil:
		return "map of " + s.typeOf(value)
	case schema["const"] != nil:
		return fmt.Sprintf("%q", schema["const"])
	case schema["format"] != nil:
		return fmt.Sprint(schema["format"])
	case len(kinds) > 0:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(kinds), "[]"), " ", "|")
	case schema["enum"] != nil:
		return "string"
	case schema["type"] == nil:
		return "any"
	default:
		return fmt.Sprint(schema["type"])
	}
}

// withoutDefaults is what a schema takes of another one: the defaults that it adds are no promise.
func withoutDefaults(schema map[string]any) map[string]any {
	if all := manyOf(schema["allOf"]); all != nil {
		return schemaOf(all[0])
	}
	return schema
}

// resolved follows a reference within the document.
func (s schemaPromises) resolved(schema map[string]any) map[string]any {
	for {
		schema = withoutDefaults(schema)
		ref, ok := schema["$ref"].(string)
		if !ok {
			return schema
		}
		schema = schemaOf(schemaOf(s.root["$defs"])[strings.TrimPrefix(ref, "#/$defs/")])
	}
}

func schemaOf(v any) map[string]any { m, _ := v.(map[string]any); return m }
func manyOf(v any) []any            { l, _ := v.([]any); return l }

func (p promises) addSchema(t *testing.T, name string, text []byte) {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	schemaPromises{p, root, strings.HasPrefix(name, "file ")}.addObject(name, root)
}

// promisedNow is what this hcctl promises.
func promisedNow(t *testing.T) promises {
	t.Helper()
	p := promises{}
	p.addCommands(tree())
	for _, e := range cmdutil.ExitCodes() {
		p.add("exit codes", fmt.Sprintf("%d %s", e.Code, e.Meaning))
	}
	pages, err := fs.Glob(builtin.Checks, "checks/*.md")
	if err != nil || len(pages) < 60 {
		t.Fatalf("%d pages of checks, %v", len(pages), err)
	}
	for _, name := range pages {
		page, err := builtin.Checks.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		title, _, _ := strings.Cut(string(page), "\n")
		p.add("checks", strings.TrimPrefix(title, "# "))
	}
	schemas, err := filepath.Glob(filepath.Join(docsDir, "schema", "*.json"))
	if err != nil || len(schemas) < 20 {
		t.Fatalf("%d schemas, %v", len(schemas), err)
	}
	for _, path := range schemas {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p.addSchema(t, "output "+strings.TrimSuffix(filepath.Base(path), ".json"), text)
	}
	for _, kind := range config.Kinds() {
		text, err := config.Schema(kind)
		if err != nil {
			t.Fatal(err)
		}
		p.addSchema(t, "file "+kind, text)
	}
	return p
}
