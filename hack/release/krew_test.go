package release_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// krewManifest is the manifest, with its archives at another place.
func krewManifest(t *testing.T, releases string) string {
	t.Helper()
	text := string(read(t, filepath.Join(dist(t), "krew/hcctl.yaml")))
	at := regexp.MustCompile(`https://github\.com/hcctl/hcctl/releases/download/[^/\s]+/`)
	if !at.MatchString(text) {
		t.Fatalf("archives are not where releases are:\n%s", text)
	}
	return at.ReplaceAllString(text, releases+"/download/v"+version(t)+"/")
}

// olderPlugin serves an archive of an older hcctl, and returns the manifest that names it.
func olderPlugin(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	tw := tar.NewWriter(gz)
	const text = "#!/bin/sh\necho older\n"
	for name, mode := range map[string]int64{"hcctl": 0o755, "gone-in-the-new-one": 0o644} {
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(b.Bytes()) }))
	t.Cleanup(server.Close)
	return fmt.Sprintf(`apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata: {name: hcctl}
spec:
  version: v0.0.0
  shortDescription: older
  description: older
  platforms:
  - {bin: hcctl, uri: "%s/hcctl.tar.gz", sha256: %s, selector: {matchLabels: {os: %s, arch: %s}}}
`, server.URL, sum(b.Bytes()), runtime.GOOS, runtime.GOARCH)
}

// krewOf runs krew in a root of its own, as the system and processor that env says.
func krewOf(t *testing.T, home string, env ...string) func(args ...string) string {
	t.Helper()
	program, err := filepath.Abs("../../bin/krew")
	if err != nil {
		t.Fatal(err)
	}
	return func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append([]string{"HOME=" + home, "PATH=/usr/bin:/bin", "KREW_ROOT=" + filepath.Join(home, ".krew"),
			"KREW_DEFAULT_INDEX_URI=" + filepath.Join(home, "index"), "KREW_NO_UPGRADE_CHECK=1", "NO_PROXY=127.0.0.1"}, env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("krew %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
}

// TestKrewManifest validates the manifest by krew's own program, and installs, upgrades and removes the plugin by krew,
// from an index of this test.
func TestKrewManifest(t *testing.T) {
	manifest, home := filepath.Join(dist(t), "krew/hcctl.yaml"), t.TempDir()
	command(t, "../../bin/validate-krew-manifest", "-skip-install", "-manifest", manifest)
	if text := string(read(t, manifest)); !strings.Contains(text, "  version: v"+version(t)+"\n") {
		t.Errorf("it is of another version:\n%s", text)
	}

	index := filepath.Join(home, "index")
	publish := func(text string) {
		t.Helper()
		name := filepath.Join(index, "plugins/hcctl.yaml")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		command(t, "git", "-C", index, "add", "--all")
		command(t, "git", "-C", index, "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet",
			"--message", "publish")
	}
	command(t, "git", "init", "--quiet", index)
	publish(olderPlugin(t))

	krew := krewOf(t, home)
	plugin := filepath.Join(home, ".krew/bin/kubectl-hcctl")
	krew("update")
	krew("install", "hcctl")
	if out := command(t, plugin); out != "older\n" {
		t.Errorf("the older one says %s", out)
	}
	publish(krewManifest(t, site(t, nil)))
	krew("update")
	krew("upgrade", "hcctl")
	if out := command(t, plugin, "version"); !strings.HasPrefix(out, "hcctl v"+version(t)+" ") {
		t.Errorf("it says %s", out)
	}
	if out := command(t, plugin, "help", "check"); !strings.Contains(out, "  kubectl hcctl check") {
		t.Errorf("the plugin says %s", out)
	}
	krew("uninstall", "hcctl")
	for _, name := range left(t, filepath.Join(home, ".krew")) {
		if strings.Contains(name, "hcctl") && !strings.HasPrefix(name, "index/") {
			t.Errorf("%s is left", name)
		}
	}
}

// TestKrewPlatforms installs by krew what the manifest has for every system that archives are built for.
func TestKrewPlatforms(t *testing.T) {
	home := t.TempDir()
	manifest := filepath.Join(home, "hcctl.yaml")
	if err := os.WriteFile(manifest, []byte(krewManifest(t, site(t, nil))), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, a := range archives(t, "hcctl") {
		if a.Goarch != "amd64" && a.Goarch != "arm64" { // goreleaser leaves out what krew has no plugins for
			continue
		}
		root := filepath.Join(home, a.Goos+"-"+a.Goarch)
		krewOf(t, root, "KREW_OS="+a.Goos, "KREW_ARCH="+a.Goarch)("install", "--manifest="+manifest)
		program := "hcctl"
		if a.Goos == "windows" {
			program += ".exe"
		}
		isFor(t, read(t, filepath.Join(root, ".krew/store/hcctl/v"+version(t), program)), a.Goos, a.Goarch)
	}
}
