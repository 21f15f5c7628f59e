package archive

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/safefile"
)

// Writer writes one archive. Its file has a temporary name until Finish renames it.
type Writer struct {
	directory    *safefile.Directory
	file         *os.File
	temp, target string
	manifest     Manifest
	created      time.Time
	encryption   io.WriteCloser // nil without encryption
	zipped       *gzip.Writer
	tar          *tar.Writer
	sums         map[string]string
	objects      int
	bytes        int
	digest       *integrity
	// fileHash is the hash of the archive file.
	fileHash hash.Hash
}

// Create begins an archive in the directory of target, with mode 0600. It is encrypted for the recipients, or not
// encrypted if there are none. Create fails if target exists (fs.ErrExist), or if other users can replace files in the
// directory.
func Create(ctx context.Context, target string, m Manifest, recipients []age.Recipient) (*Writer, error) {
	if err := checkNotExists(target); err != nil {
		return nil, err
	}
	directory, err := safefile.Open(ctx, filepath.Dir(target))
	if err != nil {
		return nil, err
	}
	prefix := safefile.TempPrefix(filepath.Base(target))
	directory.Sweep(prefix)
	file, temp, err := directory.Create(prefix)
	if err != nil {
		return nil, errors.Join(err, directory.Close())
	}
	w := &Writer{directory: directory, file: file, temp: temp, target: target, manifest: m, sums: map[string]string{},
		digest: newIntegrity(), fileHash: sha256.New()}
	if err := w.begin(recipients); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// checkNotExists returns an error if the file exists.
func checkNotExists(target string) error {
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%s: %w; a backup is never overwritten", target, fs.ErrExist)
	}
	return nil
}

func (w *Writer) begin(recipients []age.Recipient) error {
	out := io.MultiWriter(w.file, w.fileHash)
	if len(recipients) > 0 {
		sealed, err := age.Encrypt(out, recipients...)
		if err != nil {
			return fmt.Errorf("encrypt: %w", err)
		}
		w.encryption, out = sealed, sealed
	}
	var err error
	if w.created, err = time.Parse(time.RFC3339, w.manifest.Created); err != nil {
		return err
	}
	// The fastest level is used: the CPU should not slow down a snapshot of gigabytes.
	if w.zipped, err = gzip.NewWriterLevel(out, gzip.BestSpeed); err != nil {
		return err
	}
	w.tar = tar.NewWriter(w.zipped)
	return w.text(manifestFile, w.manifest)
}

// text adds a document as JSON.
func (w *Writer) text(name string, document any) error {
	data, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if w.bytes += len(data); w.bytes > maxAll {
		return fmt.Errorf("the objects have more than %d MiB", maxAll>>20)
	}
	sum := sha256.Sum256(data)
	w.sums[name] = hex.EncodeToString(sum[:])
	if err := w.header(name, int64(len(data))); err != nil {
		return err
	}
	_, err = w.tar.Write(data)
	return err
}

func (w *Writer) header(name string, size int64) error {
	return w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: w.created, Typeflag: tar.TypeReg})
}

// Object adds an object. It fails for an object that Read would reject.
func (w *Writer) Object(o *unstructured.Unstructured) error {
	if err := w.manifest.checkObject(o); err != nil {
		return err
	}
	if w.objects++; w.objects > maxObjects {
		return fmt.Errorf("more than %d objects", maxObjects)
	}
	return w.text(objectName(o), o.Object)
}

// Snapshot adds the snapshot of etcd, which has size bytes. It fails if its integrity hash does not match.
func (w *Writer) Snapshot(size int64, from io.Reader) error {
	if size <= 0 || size > MaxSnapshot {
		return fmt.Errorf("a snapshot of %d bytes is more than hcctl takes", size)
	}
	if err := w.header(snapshotFile, size); err != nil {
		return err
	}
	n, err := io.Copy(io.MultiWriter(w.tar, w.digest), io.LimitReader(from, size))
	if err == nil && n < size {
		err = fmt.Errorf("the snapshot ended after %d of %d bytes", n, size)
	}
	if err == nil {
		err = w.digest.check()
	}
	w.sums[snapshotFile] = w.digest.sum()
	return err
}

// Finish completes the archive, syncs it to disk and renames it to its target. It fails with fs.ErrExist if the target
// was created meanwhile.
func (w *Writer) Finish() error {
	sums := w.sums
	err := errors.Join(w.text(checksumFile, sums), w.tar.Close(), w.zipped.Close())
	if w.encryption != nil {
		err = errors.Join(err, w.encryption.Close())
	}
	if err = errors.Join(err, w.file.Sync()); err != nil {
		return errors.Join(err, w.Abort())
	}
	base := filepath.Base(w.target)
	err = w.directory.Root().Link(w.temp, base)
	if err != nil && !errors.Is(err, fs.ErrExist) { // the file system has no hard links
		if err = checkNotExists(w.target); err == nil {
			err = w.directory.Root().Rename(w.temp, base)
		}
	}
	return errors.Join(err, w.Abort())
}

// SHA256 returns the hash of the finished file, in hexadecimal.
func (w *Writer) SHA256() string { return hex.EncodeToString(w.fileHash.Sum(nil)) }

// Abort closes and removes the temporary file of an unfinished archive.
func (w *Writer) Abort() error {
	err := errors.Join(w.file.Close(), w.directory.Root().Remove(w.temp))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, w.directory.Close())
}
