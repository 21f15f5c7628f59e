package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// ageMagic begins every file that age encrypted.
const ageMagic = "age-encryption.org/v1\n"

// Read reads and checks a whole archive, and writes the snapshot to the writer meanwhile. The caller must not use the
// snapshot before Read returns, and must discard it on an error. Read fails with *Error, if no key opens the archive,
// or with the error of the writer.
func Read(ctx context.Context, path string, identities []age.Identity, snapshot io.Writer) (*Content, error) {
	file, err := os.Open(path) // #nosec G304 -- the user's own choice
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &Error{path, "is not a file"}
	}
	r := &reader{ctx: ctx, path: path, snapshot: snapshot, seen: map[string]string{}}
	r.content.Bytes = info.Size()
	if err := r.read(file, identities); err != nil {
		return nil, err
	}
	return &r.content, nil
}

type reader struct {
	ctx      context.Context //nolint:containedctx // of the one call of Read
	path     string
	snapshot io.Writer
	content  Content
	sums     map[string]string
	seen     map[string]string
	// bytes is the size of all files but the snapshot.
	bytes int64
}

func (r *reader) errorf(format string, args ...any) error {
	return &Error{r.path, fmt.Sprintf(format, args...)}
}

// noKeyError returns the error for an encrypted archive that no key opens.
func (r *reader) noKeyError() error {
	return failure.New(failure.Other, hint.New("give %s or %s", hint.Flag("identity-file"), hint.Flag("passphrase-file")),
		"%s is encrypted, and none of the given keys opens it", r.path)
}

func (r *reader) read(file io.Reader, identities []age.Identity) error {
	in := bufio.NewReader(file)
	if magic, _ := in.Peek(len(ageMagic)); string(magic) == ageMagic {
		r.content.Encrypted = true
		if len(identities) == 0 {
			return r.noKeyError()
		}
		plain, err := age.Decrypt(in, identities...)
		var none *age.NoIdentityMatchError
		switch {
		case errors.As(err, &none):
			return r.noKeyError()
		case err != nil:
			return r.errorf("is encrypted, but damaged: %v", err)
		}
		in = bufio.NewReader(plain)
	}
	if !r.content.Encrypted && len(identities) > 0 {
		return r.errorf("is not encrypted, although a key to open it was given: it may have been replaced")
	}
	zipped, err := gzip.NewReader(in)
	if err != nil {
		return r.errorf("is not a backup of hcctl: %v", err)
	}
	zipped.Multistream(false)
	entries := tar.NewReader(zipped)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r.errorf("is damaged: %v", err)
		}
		if err := r.entry(header, entries); err != nil {
			return err
		}
	}
	// The rest after the tar is only padding. Reading it makes gzip and age verify their checksums.
	rest, err := io.Copy(io.Discard, io.LimitReader(zipped, maxText))
	if err != nil || rest == maxText {
		return r.errorf("is damaged at its end")
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return r.errorf("has data after its end")
	}
	return r.checkComplete()
}

// entry reads one file. The files must have the order of Writer.
func (r *reader) entry(h *tar.Header, in io.Reader) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	_, twice := r.seen[h.Name]
	first, over := len(r.seen) == 0, r.sums != nil
	switch {
	case h.Typeflag != tar.TypeReg, twice, over, first != (h.Name == manifestFile):
		return r.errorf("has %q where no backup has it", h.Name)
	case h.Name == snapshotFile:
		return r.readSnapshot(h.Size, in)
	}
	limit := int64(maxText)
	if strings.HasPrefix(h.Name, objectsDir+"/") {
		limit = maxObject
	}
	if h.Size > limit {
		return r.errorf("%q has %d bytes, more than any backup has", h.Name, h.Size)
	}
	if r.bytes += h.Size; r.bytes > maxAll {
		return r.errorf("its objects have more than %d MiB, more than any backup has", maxAll>>20)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return r.errorf("is damaged: %v", err)
	}
	sum := sha256.Sum256(data)
	r.seen[h.Name] = hex.EncodeToString(sum[:])
	switch {
	case h.Name == manifestFile:
		return r.manifest(data)
	case h.Name == checksumFile:
		delete(r.seen, checksumFile)
		r.sums = map[string]string{}
		if err := strict(data, &r.sums); err != nil {
			return r.errorf("its checksums cannot be read: %v", err)
		}
		return nil
	case limit == maxObject:
		return r.object(h.Name, data)
	}
	return r.errorf("has a file %q, which no backup has", h.Name)
}

// strict decodes JSON and rejects unknown fields.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func (r *reader) manifest(data []byte) error {
	m := &r.content.Manifest
	if err := strict(data, m); err != nil {
		return r.errorf("its manifest cannot be read: %v", err)
	}
	if known := Type(); m.TypeMeta != known {
		return r.errorf("is a %q %q, and this hcctl reads %s %s", m.APIVersion, m.Kind, known.APIVersion, known.Kind)
	}
	if want := hostedcluster.ControlPlaneNamespace(m.Namespace, m.Name); m.ControlPlaneNamespace != want ||
		len(validation.IsDNS1123Label(m.Namespace)) > 0 || len(validation.IsDNS1123Subdomain(m.Name)) > 0 ||
		len(validation.IsDNS1123Label(want)) > 0 {
		return r.errorf("is of %q, %q, %q, which are not names of a hosted cluster", m.Namespace, m.Name,
			m.ControlPlaneNamespace)
	}
	for _, name := range []string{m.Namespace, m.ControlPlaneNamespace} {
		if err := hostedcluster.CheckNamespace(name); err != nil {
			return r.errorf("%v", err)
		}
	}
	return nil
}

func (r *reader) object(name string, data []byte) error {
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(data); err != nil {
		return r.errorf("%q is not an object: %v", name, err)
	}
	if err := r.content.Manifest.checkObject(o); err != nil {
		return r.errorf("%v", err)
	}
	if len(validation.IsDNS1123Subdomain(o.GetName())) > 0 || objectName(o) != name {
		return r.errorf("%q is not where %s %q belongs", name, o.GetKind(), o.GetName())
	}
	if r.content.Objects = append(r.content.Objects, o); len(r.content.Objects) > maxObjects {
		return r.errorf("has more than %d objects", maxObjects)
	}
	return nil
}

func (r *reader) readSnapshot(size int64, in io.Reader) error {
	if size > MaxSnapshot {
		return r.errorf("its snapshot of etcd has %d bytes, more than an etcd can have", size)
	}
	digest := newIntegrity()
	out := &errorKeeper{Writer: r.snapshot}
	if _, err := io.Copy(io.MultiWriter(out, digest), in); err != nil {
		if out.err != nil {
			return out.err
		}
		return r.errorf("is damaged: %v", err)
	}
	if err := digest.check(); err != nil {
		return r.errorf("%v", err)
	}
	r.seen[snapshotFile] = digest.sum()
	r.content.SnapshotBytes, r.content.SnapshotSHA256 = size, digest.sum()
	return nil
}

// errorKeeper keeps the error of the writer, to distinguish it from errors of the archive.
type errorKeeper struct {
	io.Writer
	err error
}

func (e *errorKeeper) Write(data []byte) (int, error) {
	n, err := e.Writer.Write(data)
	e.err = err
	return n, err
}
