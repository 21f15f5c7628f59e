package release_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestFormula holds Homebrew's formula to Ruby and to the archives.
func TestFormula(t *testing.T) {
	needs(t, "ruby")
	name := filepath.Join(dist(t), "homebrew/Formula/hcctl.rb")
	command(t, "ruby", "-wc", name)
	text := string(read(t, name))
	if !strings.Contains(text, "class Hcctl < Formula") || !strings.Contains(text, `license "Apache-2.0"`) {
		t.Errorf("it is not the formula of hcctl:\n%s", text)
	}
	pairs := regexp.MustCompile(`url "[^"]*/([^/"]+)"\s+sha256 "([0-9a-f]{64})"`).FindAllStringSubmatch(text, -1)
	named := map[string]bool{}
	for _, pair := range pairs {
		named[pair[1]] = true
		for _, a := range artifacts(t, "Archive") {
			if a.Name == pair[1] && sum(read(t, a.Path)) != pair[2] {
				t.Errorf("the checksum of %s is wrong", a.Name)
			}
		}
	}
	for _, a := range artifacts(t, "Archive") {
		common := a.Goarch == "amd64" || a.Goarch == "arm64"
		if a.Goos != "windows" && common && !named[a.Name] {
			t.Errorf("the formula does not have %s", a.Name)
		}
	}
	in := readArchive(t, here(t).Path)
	for _, file := range regexp.MustCompile(`install "([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if _, ok := in[file[1]]; !ok {
			t.Errorf("the formula installs %s, which the archive does not have", file[1])
		}
	}
}

// plugin is krew's manifest, in the form of krew.googlecontainertools.github.com/v1alpha2.
type plugin struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		Version          string `yaml:"version"`
		ShortDescription string `yaml:"shortDescription"`
		Description      string `yaml:"description"`
		Caveats          string `yaml:"caveats"`
		Homepage         string `yaml:"homepage"`
		Platforms        []struct {
			Bin      string `yaml:"bin"`
			URI      string `yaml:"uri"`
			SHA256   string `yaml:"sha256"`
			Selector struct {
				MatchLabels map[string]string `yaml:"matchLabels"`
			} `yaml:"selector"`
		} `yaml:"platforms"`
	} `yaml:"spec"`
}

// TestKrewManifest holds the manifest to krew's rules and to the archives.
func TestKrewManifest(t *testing.T) {
	var p plugin
	d := yaml.NewDecoder(strings.NewReader(string(read(t, filepath.Join(dist(t), "krew/hcctl.yaml")))))
	d.KnownFields(true)
	if err := d.Decode(&p); err != nil {
		t.Fatal(err)
	}
	if p.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || p.Kind != "Plugin" ||
		p.Metadata.Name != "hcctl" ||
		p.Spec.Version != "v"+version(t) || len(p.Spec.ShortDescription) > 50 || p.Spec.Homepage == "" {
		t.Errorf("%+v", p)
	}
	named := map[string]bool{}
	for _, platform := range p.Spec.Platforms {
		for _, a := range artifacts(t, "Archive") {
			if !strings.HasSuffix(platform.URI, "/"+a.Name) {
				continue
			}
			named[a.Name] = true
			labels := platform.Selector.MatchLabels
			if platform.SHA256 != sum(read(t, a.Path)) || labels["os"] != a.Goos || labels["arch"] != a.Goarch {
				t.Errorf("%s: %+v", a.Name, platform)
			}
			// krew links what bin names, from the top of the archive.
			if _, ok := readArchive(t, a.Path)[platform.Bin]; !ok {
				t.Errorf("%s has no %s", a.Name, platform.Bin)
			}
		}
	}
	for _, a := range artifacts(t, "Archive") {
		if (a.Goarch == "amd64" || a.Goarch == "arm64") && !named[a.Name] {
			t.Errorf("the manifest does not have %s", a.Name)
		}
	}
}
