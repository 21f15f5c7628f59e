package objects_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestFlagsGolden shows what each flag does: the objects that its example changes, each as a JSON merge patch of what
// is written with defaults; new objects are whole. It also holds the table: the example is valid, and Writes tells the
// truth.
func TestFlagsGolden(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range optionstest.Examples() {
		if e.Flag == "" || e.Beside {
			continue
		}
		seen[e.Name+".yaml"] = true
		t.Run(e.Name, func(t *testing.T) {
			if e.Example == "" || e.Writes == "" || e.Text == "" {
				t.Fatalf("needs Example, Writes and Text: %+v", e.Field)
			}
			all, without := e.Options(t)
			after := objectstest.ObjectsOf(t, optionstest.Valid(t, all))
			for name, object := range after {
				if hasNull(object) {
					t.Errorf("%s has nulls, which CRDs refuse: %v", name, object)
				}
			}
			writes(t, e, objectstest.ObjectsOf(t, options.Unchecked(without)), after)
			heading := strings.TrimSpace("# --" + e.Flag + " " + e.Example + " " + e.With)
			golden.File(t, filepath.Join("testdata", "flags", e.Name+".yaml"),
				heading+"\n"+string(changes(t, objectstest.ObjectsOf(t, optionstest.Valid(t, optionstest.Named(nil))), after)))
		})
	}
	files, err := os.ReadDir(filepath.Join("testdata", "flags"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("testdata/flags/%s is of no flag", f.Name())
		}
	}
}

// writes fails unless each field that Writes names is changed by the flag.
func writes(t *testing.T, e optionstest.Example, before, after map[string]map[string]any) {
	t.Helper()
	if e.Writes == "objects in the file" {
		if len(after) <= len(before) {
			t.Error("there are no more objects than before")
		}
		return
	}
	names := strings.NewReplacer("<name>", "kv-00", "<pool>", "kv-00", "<namespace>", "clusters", "-N", "-1")
	for _, place := range strings.Split(e.Writes, ", ") {
		words := strings.Fields(names.Replace(place))
		object, path := words[0]+" kv-00", words[len(words)-1]
		if len(words) == 3 {
			object = words[0] + " " + words[1]
		}
		was, _, _ := unstructured.NestedFieldNoCopy(before[object], option.Dotted(path)...)
		is, found, err := unstructured.NestedFieldNoCopy(after[object], option.Dotted(path)...)
		if err != nil || !found {
			t.Errorf("Writes names %s, which is not there: %v", place, err)
		} else if reflect.DeepEqual(was, is) {
			t.Errorf("Writes names %s, which stays %v", place, is)
		}
	}
}

// changes is what turns the objects before into those after, as merge patches.
func changes(t *testing.T, before, after map[string]map[string]any) []byte {
	t.Helper()
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if after[name] == nil {
			t.Errorf("%s is gone", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, is := before[name], after[name]
		patch := is
		if was != nil {
			if patch = patchOf(was, is); len(patch) == 0 {
				continue
			}
			patch["apiVersion"], patch["kind"] = is["apiVersion"], is["kind"]
			patched, _, _ := unstructured.NestedMap(patch, "metadata")
			if patched == nil {
				patched = map[string]any{}
			}
			patched["name"] = is["metadata"].(map[string]any)["name"]
			patch["metadata"] = patched
		}
		doc, err := yaml.Marshal(patch)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, "---\n"...), doc...)
	}
	return out
}

// patchOf is RFC 7386's: null removes.
func patchOf(was, is map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range was {
		if _, ok := is[key]; !ok {
			patch[key] = nil
		}
	}
	for key, value := range is {
		before, had := was[key]
		inner, isMap := value.(map[string]any)
		outer, wasMap := before.(map[string]any)
		switch {
		case had && isMap && wasMap:
			if p := patchOf(outer, inner); len(p) > 0 {
				patch[key] = p
			}
		case !had || !reflect.DeepEqual(before, value):
			patch[key] = value
		}
	}
	return patch
}

// TestEveryOptionHasAField holds that nothing can be declared and forgotten.
func TestEveryOptionHasAField(t *testing.T) {
	elsewhere := map[string]string{
		"Name":       "an argument of its own",
		"Namespace":  "a flag of every command",
		"Wait":       "not of the cluster",
		"StableFor":  "not of the cluster",
		"NodePools":  "their own fields",
		"AllowKinds": "a flag of the commands that read documents",
		"Listed":     "whether a document has the field",
	}
	for _, table := range []struct {
		options any
		fields  []options.Field
	}{{options.Cluster{}, options.Fields()}, {options.NodePool{}, options.NodePoolFields()}} {
		v := reflect.ValueOf(table.options)
		rows := map[string]int{}
		for _, f := range table.fields {
			option.At(v, f.Name)
			rows[strings.ToLower(f.Name)]++
		}
		eachOption(v.Type(), "", func(f reflect.StructField, name string) {
			n := rows[strings.ToLower(name)]
			if elsewhere[f.Name] != "" && v.Type() == reflect.TypeFor[options.Cluster]() {
				return
			}
			if n != 1 {
				t.Errorf("%s.%s has %d rows in the table of fields", v.Type(), f.Name, n)
			}
		})
	}
}

// eachOption visits the options of a struct, those of the structs of services too, by their names in a document.
func eachOption(of reflect.Type, within string, each func(f reflect.StructField, name string)) {
	for i := range of.NumField() {
		f := of.Field(i)
		name := f.Tag.Get("yaml")
		if name == "-" {
			name = f.Name
		}
		if name == "services" || within != "" && f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[options.File]() {
			eachOption(f.Type, within+name+".", each)
			continue
		}
		each(f, within+name)
	}
}

// hasNull reports whether a value is null, or has one anywhere in it.
func hasNull(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, v := range value {
			if hasNull(v) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, hasNull)
	}
	return false
}
