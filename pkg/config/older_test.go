package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOlderDocumentsAreRead reads documents as they were written for the first hcctl that read files: the examples of
// that time that have changed since. What was valid within an apiVersion stays valid. TestExamplesAreValid reads the
// others; copy one to this directory before you change what it says.
func TestOlderDocumentsAreRead(t *testing.T) {
	names, err := filepath.Glob("testdata/older/*.yaml")
	if err != nil || len(names) < 4 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "kind: Bootstrap") {
			_, err = Parse(name, ".", text)
		} else {
			var clusters []*Cluster
			if clusters, err = ParseClusters(name, ".", text, ""); err == nil && len(clusters) == 0 {
				t.Errorf("%s: no cluster was read", name)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
