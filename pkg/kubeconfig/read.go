package kubeconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// resolve follows links, so that a link stays one. A file that is not there yet is itself.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", &FileError{path, "it cannot be looked at", anotherFile, err}
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &FileError{path, "it is a link that leads nowhere", "make what it leads to, or " + anotherFile, err}
	}
	return target, nil
}

// read is the content of a file that may be changed; nil if there is no file.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &FileError{path, "it cannot be looked at", anotherFile, err}
	case !info.Mode().IsRegular():
		return nil, &FileError{path, "it is not a regular file", anotherFile, nil}
	case info.Size() > largest:
		return nil, &FileError{path, fmt.Sprintf("it has %d MB, and hcctl touches no kubeconfig of more than %d MB", info.Size()>>20, largest>>20), anotherFile, nil}
	case info.Mode().Perm()&0o200 == 0:
		return nil, &FileError{path, fmt.Sprintf("it is read-only (mode %04o)", info.Mode().Perm()), "chmod u+w " + path + ", or " + anotherFile, nil}
	}
	f, err := os.Open(path) //nolint:gosec // the user's own kubeconfig
	if err != nil {
		return nil, &FileError{path, "it cannot be read", anotherFile, err}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, &FileError{path, "it cannot be read", anotherFile, err}
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}
