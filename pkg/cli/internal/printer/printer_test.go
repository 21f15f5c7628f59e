package printer_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/cli/internal/printer"
)

func object(name string, replicas any, version string) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": name}, "spec": map[string]any{"replicas": replicas},
		"status": map[string]any{"version": version, "conditions": []any{
			map[string]any{"type": "A", "status": "True"}, map[string]any{"type": "B", "status": "False"}}}}
}

func list(objects ...map[string]any) map[string]any {
	items := make([]any, 0, len(objects))
	for _, o := range objects {
		items = append(items, o)
	}
	return map[string]any{"kind": "List", "items": items}
}

// TestPrint has the outputs of kubectl 1.36 for the same objects.
func TestPrint(t *testing.T) {
	document := list(object("kv-00", int64(2), "4.20.3"), object("kv-01", int64(1000000), "4.9.1"))
	for output, want := range map[string]string{
		"jsonpath={.items[*].metadata.name}":                                     "kv-00 kv-01",
		`jsonpath={range .items[*]}{.metadata.name}{"\t"}{.spec.replicas};{end}`: "kv-00\t2;kv-01\t1000000;",
		"jsonpath={.items[0].spec}":                                              `{"replicas":2}`,
		"jsonpath={.no.such}":                                                    "",
		`jsonpath={.items[?(@.metadata.name=="kv-01")].status.version}`:          "4.9.1",
		"jsonpath-as-json={.items[*].metadata.name}":                             "[\n    \"kv-00\",\n    \"kv-01\"\n]\n",
		"jsonpath-file=paths":                                                    "List",
	} {
		p, err := printer.New(output, files)
		if err != nil {
			t.Fatalf("%s: %v", output, err)
		}
		var out bytes.Buffer
		if err := p.Print(&out, document); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v, want %q", output, out.String(), err, want)
		}
	}
}

func files(path string) ([]byte, error) {
	content := map[string]string{"paths": "{.kind}",
		"columns": "NAME VERSION\n{.metadata.name}  status.version\n", "uneven": "A B\n.a\n", "empty": "\n"}
	if content[path] == "" {
		return nil, errors.New("no such file")
	}
	return []byte(content[path]), nil
}

func TestColumns(t *testing.T) {
	for output, want := range map[string][][]string{
		"custom-columns=NAME:.metadata.name,N:{.spec.replicas},NO:no.such": {{"NAME", "N", "NO"}, {"kv-00", "2", "<none>"}},
		"custom-columns=C:{status.conditions[*].type}":                     {{"C"}, {"A,B"}},
		"custom-columns=S:status.conditions": {{"S"},
			{"[map[status:True type:A] map[status:False type:B]]"}},
		"custom-columns-file=columns": {{"NAME", "VERSION"}, {"kv-00", "4.20.3"}},
	} {
		p, err := printer.New(output, files)
		if err != nil {
			t.Fatalf("%s: %v", output, err)
		}
		cells, err := p.Columns.Cells(object("kv-00", int64(2), "4.20.3"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, [][]string{p.Columns.Headings, cells}); diff != "" {
			t.Errorf("%s: %s", output, diff)
		}
	}
}

func TestWrongFormats(t *testing.T) {
	for output, want := range map[string]string{
		"jsonpath":                     "such as -o jsonpath='{.items[*].metadata.name}'",
		"jsonpath={.a":                 "the JSONPath {.a: unclosed action",
		"jsonpath-file=none":           "no such file",
		"custom-columns=NAME":          `the column "NAME": write it as HEADING:.path.to.field`,
		"custom-columns=NAME:":         `the column "NAME:"`,
		"custom-columns=NAME:.a,":      `the column ""`,
		"custom-columns=NAME:{.a}{.b}": "write it like .metadata.name",
		"custom-columns=NAME:.a[":      "column NAME: the JSONPath",
		"custom-columns-file=uneven":   "its first line has 2 headings, its second line 1 paths",
		"custom-columns-file=empty":    "there are no columns",
		"custom-columns=" + strings.Repeat("A:.a,", 100) + "A:.a": "more than 100 columns",
	} {
		if _, err := printer.New(output, files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", output, err, want)
		}
	}
	if p, err := printer.New("json", files); p != nil || err != nil {
		t.Errorf("json: %v, %v", p, err)
	}
}

func TestSort(t *testing.T) {
	objects := []map[string]any{object("b10", int64(10), "4.20.3"), object("b9", int64(9), "4.9.12"),
		object("a", nil, "4.9.2"), object("c", 2.5, "")}
	for path, want := range map[string]string{
		".metadata.name": "a b9 b10 c", "{.spec.replicas}": "a c b9 b10", "status.version": "c a b9 b10",
		".status.conditions[0].type": "b10 b9 a c",
	} {
		order, err := printer.NewOrder(path)
		if err != nil {
			t.Fatal(err)
		}
		places, err := order.Sort(objects)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, i := range places {
			names = append(names, objects[i]["metadata"].(map[string]any)["name"].(string))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	sizes := []map[string]any{{"s": "10Gi"}, {"s": "500Mi"}, {"s": "2Ti"}, {"s": true}, {"s": false}}
	order, err := printer.NewOrder("s")
	if err != nil {
		t.Fatal(err)
	}
	if places, err := order.Sort(sizes); err != nil || !cmp.Equal(places, []int{4, 3, 1, 0, 2}) {
		t.Errorf("%v, %v", places, err)
	}
	if order, err = printer.NewOrder(".no"); err == nil {
		if _, err = order.Sort(sizes); err == nil || !strings.Contains(err.Error(), "no object has the field .no") {
			t.Error(err)
		}
	}
	if _, err := printer.NewOrder("{.a"); err == nil {
		t.Error("{.a is taken")
	}
}
