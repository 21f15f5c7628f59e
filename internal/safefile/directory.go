package safefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/internal/hint"
)

// Directory is an open directory in which only its user and root can replace files. File names are those of files
// directly in it.
type Directory struct {
	root   *os.Root
	path   string
	owners owners
}

// Open opens a directory. It returns an *Error if the directory belongs to another user, or if other users can replace
// its files: they can write to it and it is not sticky.
func Open(ctx context.Context, dir string) (*Directory, error) {
	dir, err := Resolve(ctx, dir)
	if err != nil {
		return nil, err
	}
	f, err := openDirectory(dir, ownersOf(ctx))
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	problem := f.owners.foreign(info)
	if problem == "" {
		problem = exposed(info)
	}
	if problem != "" {
		return nil, errors.Join(
			&Error{dir, problem, hint.New("take a directory that only you can write, or: chmod go-w %s", dir)}, f.Close())
	}
	return f, nil
}

// openDirectory opens a directory with "/." appended, so that it opens nothing else and does not block on a FIFO.
func openDirectory(dir string, o owners) (*Directory, error) {
	root, err := os.OpenRoot(dir + string(filepath.Separator) + ".")
	if err != nil {
		return nil, withPath(dir, err)
	}
	return &Directory{root, dir, o}, nil
}

// withPath replaces the path in a file system error by the one that the user knows.
func withPath(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: at.Op, Path: path, Err: at.Err}
	}
	return err
}

// Path returns the directory's absolute path without links.
func (f *Directory) Path() string { return f.path }

// Join returns the path of a file in it.
func (f *Directory) Join(name string) string { return filepath.Join(f.path, name) }

// Close closes the directory.
func (f *Directory) Close() error { return f.root.Close() }

// Root returns the directory for other operations. The caller must not close it.
func (f *Directory) Root() *os.Root { return f.root }

// Own returns the info of a regular file owned by this user or root, without following links. Any other file is an
// *Error, a missing one fs.ErrNotExist.
func (f *Directory) Own(name string) (fs.FileInfo, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, withPath(f.Join(name), err)
	}
	return info, f.own(name, info)
}

func (f *Directory) own(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return irregular(f.Join(name), info)
	}
	if problem := f.owners.foreign(info); problem != "" {
		return &Error{f.Join(name), problem, hint.New("give a file of your own")}
	}
	return nil
}

// open opens a file that Own accepts, and checks the open file again. It retries if the file is replaced meanwhile,
// like lock files.
func (f *Directory) open(name string, flag int) (*os.File, fs.FileInfo, error) {
	for range attempts {
		file, info, err := f.openOnce(name, flag)
		if err != nil {
			return nil, nil, err
		}
		if f.Is(name, info) {
			return file, info, nil
		}
		if err := file.Close(); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, &Error{f.Join(name), "another process keeps replacing it", hint.New("try again")}
}

func (f *Directory) openOnce(name string, flag int) (*os.File, fs.FileInfo, error) {
	if _, err := f.Own(name); err != nil {
		return nil, nil, err
	}
	file, err := f.root.OpenFile(name, flag|nonblock, 0)
	if err != nil {
		return nil, nil, withPath(f.Join(name), err)
	}
	info, err := file.Stat()
	if err == nil {
		err = f.own(name, info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// Is reports whether the name still refers to this file itself, not to a link.
func (f *Directory) Is(name string, info fs.FileInfo) bool {
	now, err := f.root.Lstat(name)
	return err == nil && os.SameFile(now, info)
}

// Read returns the content and the info of a file that Own accepts, of at most limit bytes.
func (f *Directory) Read(name string, limit int64) ([]byte, fs.FileInfo, error) {
	file, info, err := f.open(name, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := readAll(file, f.Join(name), limit)
	return data, info, err
}

// Sub opens a subdirectory with mode 0700 of this user. A link, or a directory of another user, is an *Error.
func (f *Directory) Sub(name string) (*Directory, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, withPath(f.Join(name), err)
	}
	if !private(info) {
		return nil, notPrivate(f.Join(name))
	}
	root, err := f.root.OpenRoot(name + string(filepath.Separator) + ".")
	if err != nil {
		return nil, withPath(f.Join(name), err)
	}
	sub := &Directory{root, f.Join(name), f.owners}
	opened, err := root.Stat(".")
	if err == nil && (!private(opened) || !os.SameFile(info, opened)) {
		err = notPrivate(f.Join(name))
	}
	if err != nil {
		return nil, errors.Join(err, sub.Close())
	}
	return sub, nil
}

func notPrivate(path string) error {
	return &Error{path, "it is no directory that is yours alone (mode 0700)", hint.New("look what it is, and remove it")}
}

// Private reports whether only this user can read a directory (mode 0700).
func Private(ctx context.Context, path string) bool {
	path, err := Resolve(ctx, path)
	if err != nil {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && private(info)
}

// entries returns the entries of the directory that can be read.
func (f *Directory) entries() []fs.DirEntry {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	entries, _ := dir.ReadDir(-1) // after an error it returns the entries read so far
	return entries
}

// Directories returns the names of the directories that MakeDirectory created for the prefix.
func (f *Directory) Directories(prefix string) []string {
	var names []string
	for _, entry := range f.entries() {
		if entry.IsDir() && Fresh(prefix, entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// Sync writes renames to disk. If that is not supported, the system writes them later.
func (f *Directory) Sync() {
	if dir, err := f.root.Open("."); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}
