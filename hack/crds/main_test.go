package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "old", "4.1.json")
	if err := os.MkdirAll(filepath.Dir(stale), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(stale)); err == nil {
		t.Error("what was there before is there still")
	}
	entries, err := os.ReadDir(filepath.Join(dir, "ipaddresspools.metallb.io"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	// Only releases that change something have a file.
	if want := []string{"4.12.json", "4.13.json", "4.19.json"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "managedclustersets.cluster.open-cluster-management.io", "2.2.json"))
	if err != nil {
		t.Fatal(err)
	}
	var versions map[string]map[string]any
	if err := json.Unmarshal(raw, &versions); err != nil {
		t.Fatal(err)
	}
	if versions["v1beta1"]["type"] != "object" || versions["v1beta2"]["type"] != "object" {
		t.Errorf("got %v", versions)
	}
	if err := run(""); err == nil {
		t.Error("without a directory nothing is wrong")
	}
}
