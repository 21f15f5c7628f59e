// Package directory writes the directory of --render or --convert: all of it or nothing, and never over something.
package directory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// Vacant refuses a directory, which the flag names, that has something in it: what is there is never overwritten, nor
// mixed with.
func Vacant(flag, dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--%s: %w", flag, err)
	case len(entries) > 0:
		return cmdutil.WithHint(fmt.Errorf("--%s %s: the directory is not empty: it has %s", flag, dir, entries[0].Name()),
			"give one that is empty or does not exist")
	}
	return nil
}

// Write makes the directory with all its files or not at all: it is written beside its place and moved there.
// It is for this user alone, as the file of --render-into is.
func Write(flag, dir string, files []cmdutil.File) (err error) {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // not the rendered one
		return fmt.Errorf("--%s: %w", flag, err)
	}
	root, half, err := safefile.MakeFresh(filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+"-"))
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	defer func() {
		_ = root.Close()
		if err != nil {
			err = errors.Join(fmt.Errorf("--%s %s: nothing was written: %w", flag, dir, err), os.RemoveAll(half))
		}
	}()
	for _, f := range files {
		path := filepath.FromSlash(f.Path)
		if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(path, f.Data, 0o600); err != nil {
			return err
		}
	}
	if err := root.Close(); err != nil {
		return err
	}
	// An empty directory in its place would be in the way on some systems.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(half, dir)
}
