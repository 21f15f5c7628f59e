package release_test

import (
	"bytes"
	"debug/buildinfo"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/spdx/tools-golang/json"
)

// TestBillsOfMaterials holds both documents of every archive and package to the modules in its program.
func TestBillsOfMaterials(t *testing.T) {
	for _, a := range slices.Concat(artifacts(t, "Archive"), artifacts(t, "Linux Package")) {
		programs, err := filepath.Glob(filepath.Join(dist(t), "hcctl_"+a.Goos+"_"+a.Goarch+"*", "hcctl*"))
		if err != nil || len(programs) != 1 {
			t.Fatalf("%s: %v, %v", a.Name, programs, err)
		}
		info, err := buildinfo.ReadFile(programs[0])
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"pkg:golang/stdlib@" + info.GoVersion}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			want = append(want, "pkg:golang/"+m.Path+"@"+strings.ReplaceAll(m.Version, "+", "%2B"))
		}
		slices.Sort(want)
		for format, readers := range map[string]func(*testing.T, []byte) (modules []string, checksum string){
			".spdx.json": readSPDX, ".cdx.json": readCycloneDX,
		} {
			modules, checksum := readers(t, read(t, a.Path+format))
			slices.Sort(modules)
			if !slices.Equal(modules, want) {
				t.Errorf("%s%s names\n%v\nthe program has\n%v", a.Name, format, modules, want)
			}
			if got := sum(read(t, a.Path)); checksum != got {
				t.Errorf("%s%s is about %s, the file has %s", a.Name, format, checksum, got)
			}
		}
	}
}

func readSPDX(t *testing.T, text []byte) (modules []string, checksum string) {
	t.Helper()
	doc, err := json.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, p := range doc.Packages {
		if ids[string(p.PackageSPDXIdentifier)] {
			t.Errorf("two packages have the ID %s", p.PackageSPDXIdentifier)
		}
		ids[string(p.PackageSPDXIdentifier)] = true
		if p.PackageLicenseDeclared == "" {
			t.Errorf("%s has no licence", p.PackageName)
		}
		for _, ref := range p.PackageExternalReferences {
			modules = append(modules, ref.Locator)
		}
		for _, c := range p.PackageChecksums {
			checksum = c.Value
		}
	}
	for _, r := range doc.Relationships {
		if !ids[string(r.RefB.ElementRefID)] {
			t.Errorf("a relationship names %s, which is not there", r.RefB.ElementRefID)
		}
	}
	return modules, checksum
}

func readCycloneDX(t *testing.T, text []byte) (modules []string, checksum string) {
	t.Helper()
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	for _, c := range *bom.Components {
		modules = append(modules, c.PackageURL)
		if c.Licenses == nil {
			t.Errorf("%s has no licence", c.Name)
		}
	}
	return modules, (*bom.Metadata.Component.Hashes)[0].Value
}
