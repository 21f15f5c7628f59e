package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeCycloneDX writes a CycloneDX 1.6 document: the artifact, with the modules as its components.
func (c contents) writeCycloneDX(w io.Writer) error {
	root := cyclonedx.Component{
		BOMRef: "hcctl", Type: cyclonedx.ComponentTypeApplication, Name: c.name, Version: c.version,
		PackageURL: packageURL("github.com/hcctl/hcctl", c.version),
		Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: c.sha256}},
		Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
		Properties: &[]cyclonedx.Property{{Name: "file", Value: c.artifact}},
	}
	components, refs := []cyclonedx.Component{}, []string{}
	add := func(path, version, licence string) {
		ref := packageURL(path, version)
		components = append(components, cyclonedx.Component{
			BOMRef: ref, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: ref,
			Licenses: &cyclonedx.Licenses{{Expression: licence}},
		})
		refs = append(refs, ref)
	}
	add("stdlib", c.builds[0].GoVersion, "BSD-3-Clause")
	for _, m := range c.modules() {
		licence, ok := c.licences[m.Path]
		if !ok {
			return fmt.Errorf("the table of licences does not name %s", m.Path)
		}
		add(m.Path, m.Version, licence)
	}
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = serial(c.artifact + c.sha256)
	bom.Metadata = &cyclonedx.Metadata{Timestamp: c.time.Format(time.RFC3339), Component: &root}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: root.BOMRef, Dependencies: &refs}}
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).
		EncodeVersion(bom, cyclonedx.SpecVersion1_6)
}

// serial returns a UUID of version 8 (RFC 9562) from a hash, so that it is reproducible.
func serial(of string) string {
	h := sha256.Sum256([]byte(of))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
