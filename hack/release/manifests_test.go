package release_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFormula holds Homebrew's formula to Ruby and to the archives, and does with it what brew would do:
// testdata/brew.rb stands for brew, which is not to be had as a package.
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
		for _, a := range archives(t, "hcctl") {
			if a.Name == pair[1] && sum(read(t, a.Path)) != pair[2] {
				t.Errorf("the checksum of %s is wrong", a.Name)
			}
		}
	}
	for _, a := range archives(t, "hcctl") {
		common := a.Goarch == "amd64" || a.Goarch == "arm64"
		if a.Goos != "windows" && common && !named[a.Name] {
			t.Errorf("the formula does not have %s", a.Name)
		}
	}
	prefix := t.TempDir()
	command(t, "ruby", "testdata/brew.rb", name, dist(t), prefix)
	have := left(t, filepath.Join(prefix, "keg"))
	for _, file := range []string{"bin/hcctl", "bin/kubectl-hcctl", "bin/oc-hcctl", "share/man/man1/hcctl-create-cluster.1",
		"etc/bash_completion.d/hcctl", "share/zsh/site-functions/_hcctl", "share/fish/vendor_completions.d/hcctl.fish"} {
		if !slices.Contains(have, file) {
			t.Errorf("brew does not install %s", file)
		}
	}
	out := command(t, filepath.Join(prefix, "keg/bin/kubectl-hcctl"), "help", "check")
	if !strings.Contains(out, "  kubectl hcctl check") {
		t.Errorf("the plugin says %s", out)
	}
}
