// Command image writes hcctl's container image for Linux into a directory as an OCI image layout, without a container
// engine: from scratch, with hcctl, the certificates of Mozilla's root program, and a user that is not root. The same
// programs make the same image.
package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the numeric user and group of the process: nonroot of distroless images.
const user = "65532"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// options are common to the images of all processors.
type options struct {
	dist, version, commit, licences string
	time                            time.Time
}

func run(args []string) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	var o options
	flags.StringVar(&o.dist, "dist", "dist", "directory with the programs that were built")
	flags.StringVar(&o.version, "version", "", "version of the image")
	flags.StringVar(&o.commit, "commit", "", "commit that it was built from")
	flags.StringVar(&o.licences, "licences", "bin/release/licences.txt", "file with the texts of all licences")
	seconds := flags.Int64("time", 0, "time of the commit, in seconds since 1970")
	out := flags.String("out", "dist/image", "directory to write, and with .tar added, archive to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.time = time.Unix(*seconds, 0).UTC()
	index, err := o.index()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(*out); err != nil {
		return err
	}
	// The directory's index.json refers to the image of all processors.
	named := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: index,
		Descriptor: v1.Descriptor{Annotations: map[string]string{"org.opencontainers.image.ref.name": o.version}}})
	if _, err := layout.Write(*out, named); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	if err := pack(*out, *out+".tar", o.time); err != nil {
		return err
	}
	fmt.Println(digest)
	return nil
}

// index returns the image for each processor that was built.
func (o options) index() (v1.ImageIndex, error) {
	programs, err := filepath.Glob(filepath.Join(o.dist, "hcctl_linux_*", "hcctl"))
	if err != nil {
		return nil, err
	}
	if len(programs) == 0 {
		return nil, fmt.Errorf("%s has no program for Linux", o.dist)
	}
	slices.Sort(programs)
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, program := range programs {
		arch := strings.Split(filepath.Base(filepath.Dir(program)), "_")[2]
		image, err := o.image(program, arch)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", program, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	return index, nil
}

func (o options) image(program, arch string) (v1.Image, error) {
	binary, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	texts, err := os.ReadFile(o.licences)
	if err != nil {
		return nil, err
	}
	base, err := o.layer([]file{
		{name: "etc/", mode: 0o755},
		{name: "etc/passwd", mode: 0o644,
			text: []byte("nonroot:x:" + user + ":" + user + ":nonroot:/home/nonroot:/sbin/nologin\n")},
		{name: "etc/group", mode: 0o644, text: []byte("nonroot:x:" + user + ":\n")},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, text: certificates()},
		{name: "home/nonroot/", mode: 0o700, user: 65532},
		{name: "tmp/", mode: 0o1777},
		{name: "usr/share/doc/hcctl/licences.txt", mode: 0o644, text: texts},
	})
	if err != nil {
		return nil, err
	}
	own, err := o.layer([]file{{name: "usr/bin/hcctl", mode: 0o755, text: binary}})
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.AppendLayers(image, base, own)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: o.time}
	config.Config = v1.Config{
		User: user + ":" + user, Entrypoint: []string{"/usr/bin/hcctl"}, WorkingDir: "/home/nonroot",
		Env: []string{"PATH=/usr/bin", "HOME=/home/nonroot", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "hcctl",
			"org.opencontainers.image.version":  o.version,
			"org.opencontainers.image.revision": o.commit,
			"org.opencontainers.image.created":  o.time.Format(time.RFC3339),
			"org.opencontainers.image.source":   "https://github.com/hcctl/hcctl",
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, config)
}

// file is a file of the image, or a directory if its name ends in a slash.
type file struct {
	name string
	mode int64
	user int
	text []byte
}

func (o options) layer(files []file) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.user, Gid: f.user, Size: int64(len(f.text)), ModTime: o.time,
			Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
}

// certificates returns the roots of Go's own fallback. Roots that are trusted only under conditions are left out,
// because a file cannot express these.
func certificates() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		parsed, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "# %s\n", parsed.Subject)
		_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
	}
	return b.Bytes()
}

// pack writes a directory into an archive, sorted and with one time, so that it can be passed on as one file.
func pack(directory, name string, at time.Time) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := tar.NewWriter(f)
	err = filepath.WalkDir(directory, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		within, err := filepath.Rel(directory, path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(within), Mode: 0o644, Size: int64(len(text)), ModTime: at,
			Typeflag: tar.TypeReg, Format: tar.FormatPAX}); err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	return errors.Join(err, w.Close(), f.Close())
}
