package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Tree has the files below some directories. A path that leads outside, by "..", as an absolute path or through a link,
// is an *OutsideError and is not opened.
type Tree struct {
	// Directories are tried in this order.
	Directories []string
	// Check may reject a file by its identity or content; nil accepts all.
	Check func(path string, info fs.FileInfo, data []byte) error
}

// OutsideError means that a path leads out of the directories.
type OutsideError struct{ Path, Directory string }

func (e *OutsideError) Error() string {
	return e.Path + " is outside of the directory " + e.Directory + ", or a link that leads out of it"
}

// Stat returns the info of the file to which a path leads.
func (t Tree) Stat(path string) (info fs.FileInfo, err error) {
	err = t.open(path, func(f *os.File) error {
		info, err = f.Stat()
		return err
	})
	return info, err
}

// Read returns the content of a regular file of at most limit bytes. Any other type of file is an *Error, without
// blocking.
func (t Tree) Read(path string, limit int64) (data []byte, err error) {
	err = t.open(path, func(f *os.File) error {
		if data, err = readAll(f, path, limit); err != nil || t.Check == nil {
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

// Walk calls each for every file in a directory and below it, like filepath.WalkDir, which follows no links.
func (t Tree) Walk(dir string, each fs.WalkDirFunc) error {
	if _, err := t.Stat(dir); err != nil {
		return err
	}
	return filepath.WalkDir(dir, each)
}

// open opens the path in the first directory that has it. A path that leads outside of a directory is tried in the next
// one.
func (t Tree) open(path string, do func(*os.File) error) error {
	for _, directory := range t.Directories {
		name, err := within(directory, path)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		root, err := os.OpenRoot(directory)
		if err != nil {
			return err
		}
		f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
		_ = root.Close()
		var at *fs.PathError
		switch {
		case err == nil:
			defer func() { _ = f.Close() }()
			return do(f)
		case !errors.As(err, &at):
			return err
		case !strings.Contains(at.Err.Error(), "escapes"): // the error of os.Root for this is not exported
			return &fs.PathError{Op: "open", Path: path, Err: at.Err}
		}
	}
	return &OutsideError{Path: path, Directory: strings.Join(t.Directories, " or ")}
}

// Below reports whether a path begins in a directory. Links are not followed.
func Below(directory, path string) bool {
	name, err := within(directory, path)
	return err == nil && name != ""
}

// within returns a path relative to a directory; "" if it is not in the directory.
func within(directory, path string) (string, error) {
	from, err := filepath.Abs(directory)
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
