package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Create creates a file with mode 0600. Its name begins with prefix.
func (f *Directory) Create(prefix string) (file *os.File, name string, err error) {
	err = tryNames(prefix, func(candidate string) error {
		name = candidate
		file, err = f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	return file, name, withPath(f.Join(prefix), err)
}

// MakeDirectory creates and opens a directory with mode 0700. Its name begins with prefix.
func (f *Directory) MakeDirectory(prefix string) (sub *Directory, name string, err error) {
	err = tryNames(prefix, func(candidate string) error {
		name = candidate
		return f.root.Mkdir(name, 0o700)
	})
	if err != nil {
		return nil, "", withPath(f.Join(prefix), err)
	}
	sub, err = f.Sub(name)
	return sub, name, err
}

// Make creates and opens a directory with mode 0700. It fails with fs.ErrExist if the name exists.
func Make(path string) (*os.Root, error) {
	if err := os.Mkdir(path, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path + string(filepath.Separator) + ".")
	if err != nil {
		return nil, withPath(path, err)
	}
	info, err := root.Stat(".")
	if err == nil && !private(info) {
		err = notPrivate(path)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// MakeFresh is Make for a new name that begins with prefix.
func MakeFresh(prefix string) (root *os.Root, path string, err error) {
	err = tryNames(prefix, func(candidate string) error {
		path = candidate
		root, err = Make(path)
		return err
	})
	return root, path, err
}

// attempts is the maximum number of names that are tried for a new file.
const attempts = 1000

// tryNames calls f with random names until one does not exist.
func tryNames(prefix string, f func(name string) error) error {
	var err error
	for range attempts {
		//nolint:gosec // the name need not be secret: an existing file is never used
		if err = f(prefix + strconv.FormatUint(rand.Uint64(), 10)); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return err
}

// Fresh reports whether Create or MakeDirectory may have generated this name for the prefix.
func Fresh(prefix, name string) bool {
	digits, ok := strings.CutPrefix(name, prefix)
	_, err := strconv.ParseUint(digits, 10, 64)
	return ok && err == nil
}

// tempMark is part of the names of temporary files.
const tempMark = ".hcctl-tmp-"

// TempPrefix returns the prefix of the temporary files for a file.
func TempPrefix(name string) string { return "." + name + tempMark }

// Write replaces a file atomically with a new one of mode 0600, and returns when it is on disk: readers find the old
// file or the new one. It replaces a link instead of writing to its target.
func (f *Directory) Write(name string, data []byte) error {
	temp, err := f.WriteTemp(TempPrefix(name), data, nil)
	if err != nil {
		return err
	}
	if err := f.root.Rename(temp, name); err != nil {
		_ = f.root.Remove(temp)
		return fmt.Errorf("%s: %w", f.Join(name), err)
	}
	return nil
}

// WriteTemp writes a new file with mode 0600 to disk; its name begins with prefix. The file gets the owner of old,
// unless that is nil.
func (f *Directory) WriteTemp(prefix string, data []byte, old fs.FileInfo) (name string, err error) {
	file, name, err := f.Create(prefix)
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if old != nil {
		err = errors.Join(err, sameOwner(file, old))
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = f.root.Remove(name)
		return "", err
	}
	return name, nil
}

// Sweep removes this user's files that Create created for the prefix.
func (f *Directory) Sweep(prefix string) {
	f.sweep(func(name string) bool { return Fresh(prefix, name) })
}

// SweepTemps removes the temporary files left by a killed Write.
func (f *Directory) SweepTemps() {
	f.sweep(func(name string) bool {
		of, _, ok := strings.Cut(strings.TrimPrefix(name, "."), tempMark)
		return ok && Fresh(TempPrefix(of), name)
	})
}

func (f *Directory) sweep(which func(name string) bool) {
	for _, entry := range f.entries() {
		if !which(entry.Name()) {
			continue
		}
		if _, err := f.Own(entry.Name()); err == nil {
			_ = f.root.Remove(entry.Name())
		}
	}
}
