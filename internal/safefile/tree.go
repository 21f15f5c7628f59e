package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Tree are the files below some folders. A path that leads elsewhere, by "..", as an absolute path or over a link, is an
// *OutsideError and is not opened.
type Tree struct {
	// Folders are tried in their order.
	Folders []string
	// Check refuses a file by its identity or content; nil refuses none.
	Check func(path string, info fs.FileInfo, data []byte) error
}

// OutsideError means that a path leads out of the folders.
type OutsideError struct{ Path, Folder string }

func (e *OutsideError) Error() string {
	return e.Path + " is outside of the folder " + e.Folder + ", or a link that leads out of it"
}

// Stat describes what a path leads to.
func (t Tree) Stat(path string) (info fs.FileInfo, err error) {
	err = t.in(path, func(root *os.Root, name string) error {
		info, err = root.Stat(name)
		return err
	})
	return info, err
}

// Read returns the content of a regular file, limited in size. Anything else is an *Error, without waiting.
func (t Tree) Read(path string, most int64) (data []byte, err error) {
	err = t.in(path, func(root *os.Root, name string) error {
		f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if data, err = readAll(f, path, most); err != nil || t.Check == nil {
			return err
		}
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return t.Check(path, info, data)
	})
	return data, err
}

// Walk calls each for everything in a folder and below it, as filepath.WalkDir does.
func (t Tree) Walk(dir string, each fs.WalkDirFunc) error {
	return t.in(dir, func(root *os.Root, name string) error {
		return fs.WalkDir(root.FS(), filepath.ToSlash(name), func(path string, entry fs.DirEntry, err error) error {
			below, relErr := filepath.Rel(name, filepath.FromSlash(path))
			return each(filepath.Join(dir, below), entry, errors.Join(err, relErr))
		})
	})
}

// in calls do with the first folder that has the path. What leads out of one is looked for in the next.
func (t Tree) in(path string, do func(root *os.Root, name string) error) error {
	outside := &OutsideError{Path: path, Folder: strings.Join(t.Folders, " or ")}
	for _, folder := range t.Folders {
		name, err := within(folder, path)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return err
		}
		err = do(root, name)
		if err = errors.Join(err, root.Close()); !escapes(err) {
			return plain(err, path)
		}
	}
	return outside
}

// within is a path as seen from a folder; empty if it does not begin there.
func within(folder, path string) (string, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(from, to)
	if err != nil || !filepath.IsLocal(name) {
		return "", nil //nolint:nilerr // on another volume, which is outside
	}
	return name, nil
}

// escapes reports whether os.Root refused a path. Its error for that is not exported.
func escapes(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && at.Err != nil && strings.Contains(at.Err.Error(), "escapes")
}

// plain is an error of os.Root with the path as it was given.
func plain(err error, path string) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && len(joined.Unwrap()) == 1 {
		err = joined.Unwrap()[0]
	}
	if at, ok := err.(*fs.PathError); ok { //nolint:errorlint // only the outermost is of os.Root
		return &fs.PathError{Op: "open", Path: path, Err: at.Err}
	}
	return err
}
