package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// The three schemas of a file-based catalog, with the fields that the sandbox uses (operator-registry, alpha/declcfg).
// Importing that module would add container image libraries for these few fields.
type (
	fbcPackage struct {
		Schema         string `json:"schema"`
		Name           string `json:"name"`
		DefaultChannel string `json:"defaultChannel"`
	}
	fbcChannel struct {
		Schema  string     `json:"schema"`
		Name    string     `json:"name"`
		Package string     `json:"package"`
		Entries []fbcEntry `json:"entries"`
	}
	fbcEntry struct {
		Name     string `json:"name"`
		Replaces string `json:"replaces,omitempty"`
	}
	fbcBundle struct {
		Schema     string        `json:"schema"`
		Name       string        `json:"name"`
		Package    string        `json:"package"`
		Image      string        `json:"image"`
		Properties []fbcProperty `json:"properties"`
	}
	fbcProperty struct {
		Type  string `json:"type"`
		Value any    `json:"value"`
	}
)

// Write writes the catalog as a file-based catalog, one file per package. It creates dir if needed.
func (c Catalog) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("catalog %s: %w", c.Name, err)
	}
	for _, p := range c.Packages {
		raw, err := p.encode()
		if err != nil {
			return fmt.Errorf("catalog %s: package %s: %w", c.Name, p.Name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, p.Name+".json"), raw, 0o600); err != nil {
			return fmt.Errorf("catalog %s: %w", c.Name, err)
		}
	}
	return nil
}

// encode renders the package as a stream of JSON documents.
func (p Package) encode() ([]byte, error) {
	docs := []any{fbcPackage{Schema: "olm.package", Name: p.Name, DefaultChannel: p.DefaultChannel}}
	done := map[string]bool{}
	for _, ch := range p.Channels {
		out := fbcChannel{Schema: "olm.channel", Name: ch.Name, Package: p.Name}
		previous := ""
		for _, b := range ch.Bundles {
			out.Entries = append(out.Entries, fbcEntry{Name: b.Name(), Replaces: previous})
			previous = b.Name()
			if done[b.Name()] {
				continue
			}
			done[b.Name()] = true
			bundle, err := b.encode()
			if err != nil {
				return nil, fmt.Errorf("bundle %s: %w", b.Name(), err)
			}
			docs = append(docs, bundle)
		}
		docs = append(docs, out)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	for _, d := range docs {
		if err := enc.Encode(d); err != nil {
			return nil, err
		}
	}
	return buf.Bytes(), nil
}

// encode renders the bundle. It has no image and its objects are inline, so OLM needs no job to unpack it.
func (b *Bundle) encode() (fbcBundle, error) {
	type strs = map[string]string
	out := fbcBundle{Schema: "olm.bundle", Name: b.Name(), Package: b.Package, Properties: []fbcProperty{
		{"olm.package", strs{"packageName": b.Package, "version": b.CSV.Spec.Version.String()}},
	}}
	for _, crd := range b.CRDs {
		for _, v := range crd.Spec.Versions {
			if v.Served {
				out.Properties = append(out.Properties, fbcProperty{
					"olm.gvk", strs{"group": crd.Spec.Group, "version": v.Name, "kind": crd.Spec.Names.Kind},
				})
			}
		}
	}
	for _, name := range sortedKeys(b.Requires) {
		out.Properties = append(out.Properties, fbcProperty{
			"olm.package.required", strs{"packageName": name, "versionRange": b.Requires[name]},
		})
	}
	objects := []any{b.CSV}
	for _, crd := range b.CRDs {
		objects = append(objects, crd)
	}
	for _, o := range append(objects, b.Others...) {
		raw, err := json.Marshal(o)
		if err != nil {
			return fbcBundle{}, err
		}
		// JSON encodes a []byte as base64, which the schema requires.
		out.Properties = append(out.Properties, fbcProperty{"olm.bundle.object", map[string][]byte{"data": raw}})
	}
	return out, nil
}
