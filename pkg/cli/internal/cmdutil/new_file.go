package cmdutil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteNew writes a new file that only this user can read (mode 0600), since a proxy's URL may contain a password. The
// file gets its name only when it is complete and on disk.
func WriteNew(path string, data []byte) error {
	exists := WithHint(thereError(path), "give another name, or remove it first")
	if _, err := os.Lstat(path); err == nil {
		return exists
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".hcctl-tmp-")
	if err != nil {
		return unwritable(path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return unwritable(path, err)
	}
	err = os.Link(f.Name(), path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists
	case err == nil:
		return nil
	}
	// Without hard links, check first and rename.
	if _, err := os.Lstat(path); err == nil {
		return exists
	}
	return unwritable(path, os.Rename(f.Name(), path))
}

// unwritable names the file that was asked for, not the temporary one.
func unwritable(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}

// thereError means that the file exists.
type thereError string

func (e thereError) Error() string      { return string(e) + " exists, and is never overwritten" }
func (thereError) Is(target error) bool { return target == fs.ErrExist }
