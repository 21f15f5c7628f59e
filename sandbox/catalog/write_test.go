package catalog_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/hcctl/hcctl/sandbox/catalog"
)

type document struct {
	Schema, Name, Package, DefaultChannel, Image string
	Entries                                      []struct{ Name, Replaces string }
	Properties                                   []struct {
		Type  string
		Value json.RawMessage
	}
}

// documents reads the documents of a package, by schema.
func documents(t *testing.T, c catalog.Catalog, pkg string) map[string][]document {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "catalog")
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, pkg+".json")) // #nosec G304 -- a test's own directory
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	out := map[string][]document{}
	for dec := json.NewDecoder(file); ; {
		var d document
		err := dec.Decode(&d)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out[d.Schema] = append(out[d.Schema], d)
	}
}

func TestWrittenCatalogIsComplete(t *testing.T) {
	red := build(t, "ocp-4.20")[catalog.RedHat]
	docs := documents(t, red, "odf-operator")
	if got := docs["olm.package"]; len(got) != 1 || got[0].DefaultChannel != "stable-4.20" {
		t.Errorf("package documents %+v", got)
	}
	channels := docs["olm.channel"]
	if len(channels) != 1 || len(channels[0].Entries) != 2 ||
		channels[0].Entries[1].Replaces != channels[0].Entries[0].Name {
		t.Errorf("channel documents %+v", channels)
	}
	for _, b := range docs["olm.bundle"] {
		count := map[string]int{}
		for _, p := range b.Properties {
			count[p.Type]++
		}
		// Its ClusterServiceVersion, and the ConfigMap of its packages.
		if b.Image != "" || count["olm.package"] != 1 || count["olm.package.required"] != 0 ||
			count["olm.bundle.object"] != 2 {
			t.Errorf("bundle %s has image %q and properties %v", b.Name, b.Image, count)
		}
	}
	for _, b := range documents(t, red, "odf-dependencies")["olm.bundle"] {
		required := 0
		for _, p := range b.Properties {
			if p.Type == "olm.package.required" {
				required++
			}
		}
		if required != 2 {
			t.Errorf("bundle %s requires %d packages", b.Name, required)
		}
	}
}

func TestBundleInSeveralChannelsIsWrittenOnce(t *testing.T) {
	docs := documents(t, build(t, "ocp-4.20")[catalog.RedHat], "kubevirt-hyperconverged")
	if channels, bundles := len(docs["olm.channel"]), len(docs["olm.bundle"]); channels != 3 || bundles != 2 {
		t.Errorf("%d channels and %d bundles, want 3 and 2", channels, bundles)
	}
}
