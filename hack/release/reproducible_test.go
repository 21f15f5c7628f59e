package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// otherSystem is built a second time beside this machine's own: its archive has another format.
const otherSystem = "windows"

// TestReproducible builds this commit once more, for this machine and for Windows: in a clone at another path, at
// another time, with a build cache of its own. Every file has to be the same, byte for byte.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles hcctl and the sandbox from nothing; make test-release runs it")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "another", "path-of-the-clone")
	command(t, "git", "clone", "--quiet", "--no-local", root, clone)
	bin := filepath.Join(clone, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"goreleaser", "hcctl-sbom", "hcctl-image"} {
		if err := os.WriteFile(filepath.Join(bin, tool), read(t, filepath.Join(root, "bin", tool)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "make", "release-snapshot",
		"RELEASE_OS="+runtime.GOOS+", "+otherSystem, "RELEASE_ARCH="+runtime.GOARCH)
	cmd.Dir = clone
	cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(t.TempDir(), "cache"), "TZ=Asia/Tokyo", "LC_ALL=C",
		"USER=somebody", "HOME="+t.TempDir(), "GOMODCACHE="+strings.TrimSpace(command(t, "go", "env", "GOMODCACHE")),
		"GOPROXY="+strings.TrimSpace(command(t, "go", "env", "GOPROXY")), "GOFLAGS=", "MAKEFLAGS=", "MAKELEVEL=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compared := 0
	for _, a := range slices.Concat(artifacts(t, "Archive"), artifacts(t, "Linux Package")) {
		if a.Goarch != runtime.GOARCH || a.Goos != runtime.GOOS && a.Goos != otherSystem {
			continue
		}
		for _, suffix := range []string{"", ".spdx.json", ".cdx.json"} {
			if sum(read(t, filepath.Join(clone, "dist", a.Name+suffix))) != sum(read(t, a.Path+suffix)) {
				t.Errorf("%s is not the same the second time", a.Name+suffix)
			}
			compared++
		}
	}
	// Two archives of hcctl, one of the sandbox, and three packages, each with two documents.
	if compared != 18 {
		t.Errorf("%d files were compared, not 18", compared)
	}
	// The image of this machine's processor is a blob of the layout, named by its own checksum.
	blobs, err := filepath.Glob(filepath.Join(clone, "dist/image/blobs/sha256/*"))
	if err != nil || len(blobs) < 5 {
		t.Fatalf("%v, %v", blobs, err)
	}
	same := 0
	for _, blob := range blobs {
		if _, err := os.Stat(filepath.Join(dist(t), "image/blobs/sha256", filepath.Base(blob))); err == nil {
			same++
		}
	}
	// Only the index differs, if dist has more processors than the clone.
	if same < 4 {
		t.Errorf("%d of %d blobs of the image are the same", same, len(blobs))
	}
}
