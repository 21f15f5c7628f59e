package safefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is an open folder in which nobody but its user and root can replace a file. Names are those of files right in
// it.
type Folder struct {
	root   *os.Root
	path   string
	owners owners
}

// Open opens a folder. It is an *Error if it belongs to neither this user nor root, or if others can replace its files:
// write in it without its being sticky.
func Open(ctx context.Context, dir string) (*Folder, error) {
	dir, err := Resolve(ctx, dir)
	if err != nil {
		return nil, err
	}
	f, err := openFolder(dir, ownersOf(ctx))
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
			&Error{dir, problem, "take a folder that only you can write, or: chmod go-w " + dir}, f.Close())
	}
	return f, nil
}

// openFolder opens what must be a folder: with "." behind it, nothing else can be opened, and no FIFO is waited for.
func openFolder(dir string, o owners) (*Folder, error) {
	root, err := os.OpenRoot(dir + string(filepath.Separator) + ".")
	if err != nil {
		return nil, named(dir, err)
	}
	return &Folder{root, dir, o}, nil
}

// named gives an error of the file system the path that a person knows.
func named(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: at.Op, Path: path, Err: at.Err}
	}
	return err
}

// Path is the folder's, absolute and without links.
func (f *Folder) Path() string { return f.path }

// Join is the path of a file in it.
func (f *Folder) Join(name string) string { return filepath.Join(f.path, name) }

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Root is the folder for what has no method here. It must not be closed.
func (f *Folder) Root() *os.Root { return f.root }

// Own tells what is there: a regular file that this user or root owns. Anything else is an *Error, and fs.ErrNotExist
// where there is nothing. Links are not followed.
func (f *Folder) Own(name string) (fs.FileInfo, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, named(f.Join(name), err)
	}
	return info, f.own(name, info)
}

func (f *Folder) own(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return irregular(f.Join(name), info)
	}
	if whose := f.owners.foreign(info); whose != "" {
		return &Error{f.Join(name), whose, "give a file of your own"}
	}
	return nil
}

// open opens a file that Own takes, and checks again what was opened. One that is replaced meanwhile, as locks are, is
// opened anew.
func (f *Folder) open(name string, flag int) (*os.File, fs.FileInfo, error) {
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
	return nil, nil, &Error{f.Join(name), "somebody replaces it again and again", "try again"}
}

func (f *Folder) openOnce(name string, flag int) (*os.File, fs.FileInfo, error) {
	if _, err := f.Own(name); err != nil {
		return nil, nil, err
	}
	file, err := f.root.OpenFile(name, flag|nonblock, 0)
	if err != nil {
		return nil, nil, named(f.Join(name), err)
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

// Is tells whether a name is still that very file, and no link to it.
func (f *Folder) Is(name string, info fs.FileInfo) bool {
	now, err := f.root.Lstat(name)
	return err == nil && os.SameFile(now, info)
}

// Read returns the content of a file that Own takes, of at most so many bytes, and what it is.
func (f *Folder) Read(name string, most int64) ([]byte, fs.FileInfo, error) {
	file, info, err := f.open(name, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := readAll(file, f.Join(name), most)
	return data, info, err
}

// Sub opens a folder in it that nobody but this user can look into (mode 0700). A link, or a folder of others, is an
// *Error.
func (f *Folder) Sub(name string) (*Folder, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, named(f.Join(name), err)
	}
	if !private(info) {
		return nil, notPrivate(f.Join(name))
	}
	root, err := f.root.OpenRoot(name + string(filepath.Separator) + ".")
	if err != nil {
		return nil, named(f.Join(name), err)
	}
	sub := &Folder{root, f.Join(name), f.owners}
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
	return &Error{path, "it is not a folder that is yours alone (mode 0700)", "look what it is, and remove it"}
}

// Private tells whether a path leads to a folder that nobody but this user can look into (mode 0700).
func Private(ctx context.Context, path string) bool {
	path, err := Resolve(ctx, path)
	if err != nil {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && private(info)
}

// entries is what is in the folder; what cannot be read is left out.
func (f *Folder) entries() []fs.DirEntry {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	entries, _ := dir.ReadDir(-1) // those before an error count
	return entries
}

// Folders are the names of the folders in it that MakeFolder made for the prefix.
func (f *Folder) Folders(prefix string) []string {
	var names []string
	for _, entry := range f.entries() {
		if entry.IsDir() && Fresh(prefix, entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// Sync brings renames to the disk. Where that cannot be done, they come there later.
func (f *Folder) Sync() {
	if dir, err := f.root.Open("."); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}
