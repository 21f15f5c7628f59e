package release_test

import (
	"bytes"
	"debug/buildinfo"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/spdx/tools-golang/json"
)

// TestBillsOfMaterials holds both documents of every archive and package to the modules in its programs.
func TestBillsOfMaterials(t *testing.T) {
	for _, a := range slices.Concat(artifacts(t, "Archive"), artifacts(t, "Linux Package")) {
		want := modulesIn(t, a)
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

// modulesIn are the modules of an archive's programs. Packages have the program of hcctl's archive.
func modulesIn(t *testing.T, a artifact) []string {
	t.Helper()
	name := "hcctl"
	if strings.HasPrefix(a.Name, "hcctl-sandbox_") {
		name = "hcctl-sandbox"
	}
	in := readArchive(t, archiveFor(t, name, a.Goos, a.Goarch).Path)
	var out []string
	for _, program := range contents[name].programs {
		if a.Goos == "windows" {
			program += ".exe"
		}
		info, err := buildinfo.Read(bytes.NewReader(in[program].text))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, "pkg:golang/stdlib@"+info.GoVersion)
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			out = append(out, "pkg:golang/"+m.Path+"@"+strings.ReplaceAll(m.Version, "+", "%2B"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
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
