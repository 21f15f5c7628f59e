package main

import (
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"
)

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// writeSPDX writes an SPDX 2.3 document: the artifact, which contains the modules.
func (c contents) writeSPDX(w io.Writer) error {
	root := &v2_3.Package{
		PackageName: c.name, PackageSPDXIdentifier: "hcctl", PackageVersion: c.version, PackageFileName: c.artifact,
		PackageDownloadLocation: "https://github.com/hcctl/hcctl/releases/download/" + c.version + "/" + c.artifact,
		PackageChecksums:        []common.Checksum{{Algorithm: common.SHA256, Value: c.sha256}},
		PackageLicenseConcluded: "Apache-2.0", PackageLicenseDeclared: "Apache-2.0",
		PackageCopyrightText: "NOASSERTION", PrimaryPackagePurpose: "APPLICATION",
	}
	doc := &v2_3.Document{
		SPDXVersion: v2_3.Version, DataLicense: v2_3.DataLicense, SPDXIdentifier: "DOCUMENT", DocumentName: c.artifact,
		// The artifact's own checksum makes the namespace unique.
		DocumentNamespace: "https://github.com/hcctl/hcctl/spdx/" + c.artifact + "-" + c.sha256,
		CreationInfo: &v2_3.CreationInfo{Created: c.time.Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "hcctl-hack-release-sbom"}}},
		Packages: []*v2_3.Package{root},
		Relationships: []*v2_3.Relationship{{RefA: common.MakeDocElementID("", "DOCUMENT"),
			RefB: common.MakeDocElementID("", "hcctl"), Relationship: common.TypeRelationshipDescribe}},
	}
	add := func(path, version, licence string) {
		id := common.ElementID("go-module-" + notInID.ReplaceAllString(path+"-"+version, "-"))
		doc.Packages = append(doc.Packages, &v2_3.Package{
			PackageName: path, PackageSPDXIdentifier: id, PackageVersion: version,
			PackageDownloadLocation: "NOASSERTION", PackageCopyrightText: "NOASSERTION",
			PackageLicenseConcluded: licence, PackageLicenseDeclared: licence, PrimaryPackagePurpose: "LIBRARY",
			PackageExternalReferences: []*v2_3.PackageExternalReference{{Category: common.CategoryPackageManager,
				RefType: common.TypePackageManagerPURL, Locator: packageURL(path, version)}},
		})
		doc.Relationships = append(doc.Relationships, &v2_3.Relationship{RefA: common.MakeDocElementID("", "hcctl"),
			RefB: common.MakeDocElementID("", string(id)), Relationship: common.TypeRelationshipContains})
	}
	add("stdlib", c.builds[0].GoVersion, "BSD-3-Clause")
	for _, m := range c.modules() {
		licence, ok := c.licences[m.Path]
		if !ok {
			return fmt.Errorf("the table of licences does not name %s", m.Path)
		}
		add(m.Path, m.Version, licence)
	}
	return json.Write(doc, w, json.Indent(" "))
}
