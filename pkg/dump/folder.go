package dump

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"
)

// Folder is where a dump is written: a folder that only its owner may read.
type Folder struct {
	root *os.Root
	path string

	mu    sync.Mutex
	files int
	bytes int64
}

// Of the files of a dump: they tell much of a cluster, if no secrets.
const (
	fileMode   = 0o600
	folderMode = 0o700
)

// temporary is how files and folders begin that are not a dump yet.
const temporary = ".hcctl-dump-"

// NewFolder makes a folder, which must not exist yet; those above it are made as needed.
func NewFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the folder above is as any other; the dump's own is not
		return nil, err
	}
	if err := os.Mkdir(path, folderMode); err != nil {
		return nil, err
	}
	return openFolder(path)
}

// TemporaryFolder makes a folder beside a file that is to be, and must not exist yet.
func TemporaryFolder(beside string) (*Folder, error) {
	if _, err := os.Lstat(beside); err == nil {
		return nil, fmt.Errorf("%s: %w", beside, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(beside), 0o755); err != nil { //nolint:gosec // the folder above is as any other; the dump's own is not
		return nil, err
	}
	path, err := os.MkdirTemp(filepath.Dir(beside), temporary)
	if err != nil {
		return nil, err
	}
	return openFolder(path)
}

func openFolder(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, path: path}, nil
}

// Close ends the use of the folder, and removes it with all that is in it if it is told to.
func (f *Folder) Close(remove bool) error {
	err := f.root.Close()
	if remove {
		err = errors.Join(err, os.RemoveAll(f.path))
	}
	return err
}

// write makes a file. Its content must be free of secrets already.
func (f *Folder) write(name string, data []byte) error {
	if err := f.root.MkdirAll(path.Dir(name), folderMode); err != nil {
		return err
	}
	out, err := f.root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files++
	f.bytes += int64(len(data))
	return nil
}

// Archive writes the folder into a .tar.gz, its files in the order of their paths under one folder called top. No file that exists is
// overwritten, and the archive has its name only once it is whole, even if the process is killed.
func (f *Folder) Archive(target, top string, at time.Time) error {
	out, err := os.CreateTemp(filepath.Dir(target), temporary+"*.part")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(out.Name()) }()
	if err := errors.Join(f.pack(out, top, at), out.Close()); err != nil {
		return err
	}
	err = os.Link(out.Name(), target)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: what is there is looked for instead.
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("%s: %w", target, fs.ErrExist)
	}
	return os.Rename(out.Name(), target)
}

func (f *Folder) pack(out io.Writer, top string, at time.Time) error {
	zipped := gzip.NewWriter(out)
	archive := tar.NewWriter(zipped)
	err := fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := f.root.ReadFile(name)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: path.Join(top, name), Mode: fileMode, Size: int64(len(data)), ModTime: at, Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(data)
		return err
	})
	return errors.Join(err, archive.Close(), zipped.Close())
}
