package kubeconfig

import (
	"errors"
	"os"
	"path/filepath"
)

// tempPattern names the files that are written beside a kubeconfig before they take its place.
func tempPattern(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".hcctl-tmp-")
}

// writeTemp writes a file beside path, for the user alone (mode 0600), that is on the disk when it returns.
func writeTemp(path string, data []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(tempPattern(path))+"*")
	if err != nil {
		return "", &FileError{path, "nothing can be written in its folder", anotherFile, err}
	}
	_, err = f.Write(data)
	err = errors.Join(err, sameOwner(f, path))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", &FileError{path, "the new content cannot be written beside it", anotherFile, err}
	}
	return f.Name(), nil
}

// sweep removes what an hcctl that was killed left behind. Whoever holds the lock knows that nobody is using it.
func sweep(path string) {
	left, err := filepath.Glob(globbed(tempPattern(path)) + "*")
	if err != nil {
		return
	}
	for _, f := range left {
		_ = os.Remove(f)
	}
}

// globbed makes a pattern of a path that matches nothing but it.
func globbed(path string) string {
	var b []rune
	for _, r := range path {
		switch r {
		case '*', '?', '[', '\\':
			b = append(b, '[', r, ']')
		default:
			b = append(b, r)
		}
	}
	return string(b)
}

// syncFolder brings a rename to the disk; where that cannot be done, it comes there later.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil { //nolint:gosec // the folder of the user's own kubeconfig
		_ = f.Sync()
		_ = f.Close()
	}
}
