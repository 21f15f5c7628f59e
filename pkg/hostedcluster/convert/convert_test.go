package convert

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hcctl/hcctl/internal/document"
)

// read are the objects of a file.
func read(t *testing.T, path string) []Object {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := document.Read(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var all []Object
	for _, d := range docs {
		objects, err := d.Objects()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, o := range objects {
			all = append(all, Object{Object: o, File: filepath.Base(path)})
		}
	}
	return all
}

// TestShapes: each public shape becomes one cluster, without anything that cannot be said.
func TestShapes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d shapes, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			clusters, rest, findings := Clusters(read(t, file))
			if len(clusters) != 1 || len(rest) > 0 || len(findings) > 0 {
				t.Fatalf("%d clusters, %d other objects, %v", len(clusters), len(rest), findings)
			}
			for _, f := range clusters[0].Findings {
				if !f.Note {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}
