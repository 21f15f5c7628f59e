package dump

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestOneObjectDropsNoOthers: whatever characters one has, all of its kind are in the dump, each with its own values.
func TestOneObjectDropsNoOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dump")
	directory, err := NewDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	d := &Dump{directory: directory}
	words := []string{"well", "\x7f", "\u0080\u009b", "\ufffe\uffff", "\x00\x1b[2J", "\u202e\u2028", strings.Repeat("k",
		1500) + "\x7f"}
	var items []unstructured.Unstructured
	for _, s := range words {
		items = append(items, unstructured.Unstructured{Object: map[string]any{"kind": "HostedCluster",
			"metadata": map[string]any{"name": "a", "annotations": map[string]any{"note" + s: s}},
			"spec":     map[string]any{"channel": s}}})
	}
	out := &list{dump: d, path: "clusters.yaml"}
	if err := errors.Join(out.add(items), out.close()); err != nil || len(d.gaps) > 0 {
		t.Fatalf("%v, %v", err, d.gaps)
	}
	data, err := os.ReadFile(filepath.Join(path, "clusters.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var list unstructured.UnstructuredList
	if err := yaml.Unmarshal(data, &list.Object); err != nil {
		t.Fatal(err)
	}
	for i, item := range list.Object["items"].([]any) {
		u := unstructured.Unstructured{Object: item.(map[string]any)}
		channel, _, _ := unstructured.NestedString(u.Object, "spec", "channel")
		if channel != words[i] || u.GetAnnotations()["note"+words[i]] != words[i] {
			t.Errorf("%q became %q", words[i], channel)
		}
	}
	if len(list.Object["items"].([]any)) != len(words) {
		t.Errorf("some are missing:\n%s", data)
	}
}

// TestWhatCannotBeWrittenIsTold: by its name, and the rest is there.
func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	directory, err := NewDirectory(filepath.Join(t.TempDir(), "dump"))
	if err != nil {
		t.Fatal(err)
	}
	d := &Dump{directory: directory}
	object := func(name string, value any) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "clusters",
			"name": name}, "value": value}}
	}
	out := &list{dump: d, path: "clusters.yaml"}
	items := []unstructured.Unstructured{object("good", "x"), object("bad", math.NaN()), object("fine", "y")}
	if err := errors.Join(out.add(items), out.close()); err != nil {
		t.Fatal(err)
	}
	if out.count != 2 || len(d.gaps) != 1 || d.gaps[0].What != "clusters/bad in clusters.yaml" ||
		!strings.Contains(d.gaps[0].Why, "it cannot be written") {
		t.Errorf("%d written, %v", out.count, d.gaps)
	}
}
