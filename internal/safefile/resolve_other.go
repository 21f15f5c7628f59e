//go:build !unix

package safefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/internal/hint"
)

// Resolve returns the absolute path without links. A path that does not exist is kept; a dangling link is an *Error.
func Resolve(_ context.Context, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &Error{path, "it is a link that leads nowhere", hint.New("make what it leads to, or give another path")}
	}
	return target, err
}
