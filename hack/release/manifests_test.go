package release_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
