package dump

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// spool stores the files of a dump one after the other in a single anonymous file.
type spool struct {
	file *os.File
	done func() error

	mu   sync.Mutex
	size int64
	// parts has the pieces of each file of the dump.
	parts map[string][]part
}

type part struct{ offset, length int64 }

func (p part) end() int64 { return p.offset + p.length }

func newSpool(dir string) (*spool, error) {
	file, done, err := anonymousTempFile(dir)
	if err != nil {
		return nil, err
	}
	return &spool{file: file, done: done, parts: map[string][]part{}}, nil
}

// Close frees the disk space.
func (s *spool) Close() error { return s.done() }

// begin empties a file of the dump.
func (s *spool) begin(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[name] = nil
}

// append appends data to a file of the dump.
func (s *spool) append(name string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := part{s.size, int64(len(data))}
	if _, err := s.file.WriteAt(data, at.offset); err != nil {
		return err
	}
	s.size += at.length
	if parts := s.parts[name]; len(parts) > 0 && parts[len(parts)-1].end() == at.offset {
		parts[len(parts)-1].length += at.length
	} else {
		s.parts[name] = append(parts, at)
	}
	return nil
}

// Archive writes the spool into a .tar.gz, sorted by path, in one directory named top. It never overwrites a file, and
// the archive gets its name only when it is complete.
func (f *Directory) Archive(target, top string, at time.Time) error {
	out, done, err := anonymousTempFile(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	if err := f.spool.pack(out, top, at); err != nil {
		return err
	}
	return linkFile(out, target)
}

func (s *spool) pack(out io.Writer, top string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	zipped := gzip.NewWriter(out)
	archive := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(s.parts)) {
		header := &tar.Header{Name: path.Join(top, name), Mode: fileMode, ModTime: at, Typeflag: tar.TypeReg}
		for _, p := range s.parts[name] {
			header.Size += p.length
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		for _, p := range s.parts[name] {
			if _, err := io.Copy(archive, io.NewSectionReader(s.file, p.offset, p.length)); err != nil {
				return err
			}
		}
	}
	return errors.Join(archive.Close(), zipped.Close())
}

// mustNotExist fails with fs.ErrExist if the file exists.
func mustNotExist(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	return nil
}

// copyFile copies the content of an anonymous file that cannot be linked.
func copyFile(file *os.File, target string) error {
	//nolint:forbidigo // mode 0600; gets its name when it is whole
	out, err := os.CreateTemp(filepath.Dir(target), ".hcctl-dump-*.part")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(out.Name()) }()
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, out.Close())
	}
	_, err = io.Copy(out, io.NewSectionReader(file, 0, info.Size()))
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	err = os.Link(out.Name(), target)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// Without hard links, check first and rename.
	if err := mustNotExist(target); err != nil {
		return err
	}
	return os.Rename(out.Name(), target)
}

// unlinkedTempFile returns a temporary file in dir without a name, or (Windows) one that done removes.
func unlinkedTempFile(dir string) (file *os.File, done func() error, err error) {
	file, err = os.CreateTemp(dir, ".hcctl-dump-") //nolint:forbidigo // mode 0600; gets its name when it is whole
	if err != nil {
		return nil, nil, err
	}
	if os.Remove(file.Name()) == nil {
		return file, file.Close, nil
	}
	return file, func() error { return errors.Join(file.Close(), os.Remove(file.Name())) }, nil
}
