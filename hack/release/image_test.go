package release_test

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// imagesOf are those of the layout by processor.
func imagesOf(t *testing.T) map[string]v1.Image {
	t.Helper()
	named, err := layout.ImageIndexFromPath(filepath.Join(dist(t), "image"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := named.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("index.json: %+v, %v", manifest, err)
	}
	index, err := named.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Fatal(err)
	}
	all, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]v1.Image{}
	for _, m := range all.Manifests {
		image, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		out[m.Platform.Architecture] = image
	}
	return out
}

// TestImage holds the image to what a cluster asks of one: no root, all processors, certificates, and hcctl that runs.
func TestImage(t *testing.T) {
	all := imagesOf(t)
	for _, a := range archives(t, "hcctl") {
		if a.Goos == "linux" && all[a.Goarch] == nil {
			t.Errorf("there is no image for %s", a.Goarch)
		}
	}
	for arch, image := range all {
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if config.Config.User != "65532:65532" || config.Architecture != arch || config.OS != "linux" ||
			!config.Created.UTC().Equal(commitTime(t)) ||
			config.Config.Labels["org.opencontainers.image.version"] != "v"+version(t) {
			t.Errorf("%s: %+v", arch, config)
		}
		in := readTar(t, mutate.Extract(image))
		roots := 0
		for rest := in["etc/ssl/certs/ca-certificates.crt"].text; ; roots++ {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				break
			}
			if c, err := x509.ParseCertificate(block.Bytes); err != nil || !c.IsCA {
				t.Errorf("%s: a certificate is not one of an authority: %v", arch, err)
			}
		}
		if roots < 50 {
			t.Errorf("%s: only %d certificates", arch, roots)
		}
		isFor(t, in["usr/bin/hcctl"].text, "linux", arch)
		for name := range in {
			if slices.Contains([]string{"oc", "kubectl", "sh", "bash"}, filepath.Base(name)) {
				t.Errorf("%s: the image has %s", arch, name)
			}
		}
		if arch == runtime.GOARCH {
			runs(t, image, config.Config)
		}
	}
}

// runs starts hcctl as a container engine does: in the image's files, as its user, with its environment.
func runs(t *testing.T, image v1.Image, config v1.Config) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("chroot needs root")
	}
	root, err := os.MkdirTemp("", "hcctl-image") // the directory of the test is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	unpack := exec.CommandContext(t.Context(), "tar", "-x", "-p", "-C", root)
	files := mutate.Extract(image)
	defer func() { _ = files.Close() }()
	unpack.Stdin = files
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, _ = io.Copy(io.Discard, files)
	for want, args := range map[string][]string{
		"hcctl v" + version(t) + " linux/": {"version"}, "# Install": {"docs", "install"},
	} {
		cmd := exec.CommandContext(t.Context(), config.Entrypoint[0], args...)
		cmd.Env, cmd.Dir = config.Env, config.WorkingDir
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("hcctl %v: %v\n%s", args, err, out)
		}
	}
}
