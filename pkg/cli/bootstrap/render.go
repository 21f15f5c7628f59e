package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// renderBootstrap writes what bootstrap would write as files instead.
func renderBootstrap(ctx context.Context, a *cmdutil.Factory, c *cmdutil.Choice, dir string) error {
	if err := vacant(dir); err != nil {
		return err
	}
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	p, err := c.Plan(ctx, t)
	if err != nil {
		return err
	}
	files, err := cmdutil.RenderFiles(p, t.String())
	if err != nil {
		return err
	}
	manifests := len(files) - 2 // kustomization.yaml and NOTES.md are none
	if manifests == 0 && p.Forecasts.Err() == nil {
		err = cmdutil.Say(a.Streams.Err, "Nothing to render: %s has all that bootstrap would write.\n", t)
		return err
	}
	if err := writeFolder(dir, files); err != nil {
		return err
	}
	for _, f := range files {
		if err := cmdutil.Say(a.Streams.Out, "%s\n", filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	cmdutil.Tell(a.Streams.Err, "%s; nothing was changed on %s. How to apply them is in %s.\n",
		plural.Count(manifests, "manifest"), t,
		filepath.Join(dir, "NOTES.md"))
	if left := cmdutil.LeftOut(p, nil); len(left) > 0 {
		cmdutil.Tell(a.Streams.Err, "Not rendered:\n")
		for _, line := range left {
			cmdutil.Tell(a.Streams.Err, "  %s\n", line)
		}
	}
	if err := p.Forecasts.Err(); err != nil {
		return cmdutil.PlannedExit(cmdutil.ExitCode(err))
	}
	return nil
}

// vacant refuses a folder that has something in it: what is there is never overwritten, nor mixed with.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--render: %w", err)
	case len(entries) > 0:
		return cmdutil.WithHint(fmt.Errorf("--render %s: the folder is not empty: it has %s", dir, entries[0].Name()),
			"give one that is empty or does not exist")
	}
	return nil
}

// writeFolder makes the folder with all its files or not at all: it is written beside its place and moved there.
// It is for this user alone, as the file of --render-into is.
func writeFolder(dir string, files []cmdutil.File) (err error) {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // not the rendered one
		return fmt.Errorf("--render: %w", err)
	}
	root, half, err := safefile.MakeFresh(filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+"-"))
	if err != nil {
		return fmt.Errorf("--render: %w", err)
	}
	defer func() {
		_ = root.Close()
		if err != nil {
			err = errors.Join(fmt.Errorf("--render %s: nothing was rendered: %w", dir, err), os.RemoveAll(half))
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
	// An empty folder in its place would be in the way on some systems.
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(half, dir)
}
