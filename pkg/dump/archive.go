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

// spool holds the files of a dump one after the other in a single file that has no name any more.
type spool struct {
	file *os.File
	done func() error

	mu   sync.Mutex
	size int64
	// parts are where each file of the dump is, bit by bit; of one that is begun again, the last.
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

// Close gives the disk its space back.
func (s *spool) Close() error { return s.done() }

// begin empties a file of the dump.
func (s *spool) begin(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[name] = nil
}

// append adds to a file of the dump.
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

// Archive writes what a spool has into a .tar.gz, its files in the order of their paths under one folder called top. No
// file that exists is overwritten, and the archive has its name only once it is whole, even if the process is killed.
func (f *Folder) Archive(target, top string, at time.Time) error {
	out, done, err := anonymousTempFile(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	if err := f.spool.pack(out, top, at); err != nil {
		return err
	}
	return name(out, target)
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

// absent fails with fs.ErrExist if there is such a file.
func absent(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	return nil
}

// copied gives a nameless file's content a name where the file itself cannot be given one: by a copy beside it.
func copied(file *os.File, target string) error {
	out, err := os.CreateTemp(filepath.Dir(target),
		".hcctl-dump-*.part") //nolint:forbidigo // mode 0600; gets its name when it is whole
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
	// A file system without links: what is there is looked for instead.
	if err := absent(target); err != nil {
		return err
	}
	return os.Rename(out.Name(), target)
}

// unnamed is a file in dir that has lost its name at once, or loses it with done where an open file keeps it (Windows).
func unnamed(dir string) (file *os.File, done func() error, err error) {
	file, err = os.CreateTemp(dir, ".hcctl-dump-") //nolint:forbidigo // mode 0600; gets its name when it is whole
	if err != nil {
		return nil, nil, err
	}
	if os.Remove(file.Name()) == nil {
		return file, file.Close, nil
	}
	return file, func() error { return errors.Join(file.Close(), os.Remove(file.Name())) }, nil
}
