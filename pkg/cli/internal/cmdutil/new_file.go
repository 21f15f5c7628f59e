package cmdutil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteNew writes a file that must not be there yet, for this user alone (mode 0600): a password may be in the URL of a
// proxy, if nowhere else. It has its name only once it is whole and on the disk, even if the process is killed.
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
	// A file system without links: what is there is looked for instead.
	if _, err := os.Lstat(path); err == nil {
		return exists
	}
	return unwritable(path, os.Rename(f.Name(), path))
}

// unwritable names the file that was asked for, not the one beside it.
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

// thereError names a file that would have to be overwritten.
type thereError string

func (e thereError) Error() string      { return string(e) + " exists, and is never overwritten" }
func (thereError) Is(target error) bool { return target == fs.ErrExist }
