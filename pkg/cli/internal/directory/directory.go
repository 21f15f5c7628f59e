// Package directory writes the directory of --render or --convert: all files or none, and never over existing
// files.
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

// Vacant returns an error if the directory that the flag names has an entry. Existing files are neither
// overwritten nor mixed with new ones.
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

// Write makes the directory with all its files or not at all: it writes to a temporary directory beside it and
// renames that. Only this user can read it (modes 0700 and 0600), like the file of --render-into.
func Write(flag, dir string, files []cmdutil.File) (err error) {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // the parent, not the rendered directory
		return fmt.Errorf("--%s: %w", flag, err)
	}
	root, temporary, err := safefile.MakeFresh(filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+"-"))
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	defer func() {
		_ = root.Close()
		if err != nil {
			err = errors.Join(fmt.Errorf("--%s %s: nothing was written: %w", flag, dir, err), os.RemoveAll(temporary))
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
	// Some systems cannot rename over an empty directory.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(temporary, dir)
}
