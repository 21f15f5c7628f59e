package bootstrap

import (
	"context"
	"path/filepath"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/directory"
)

// renderBootstrap writes the manifests of what bootstrap would write into files.
func renderBootstrap(ctx context.Context, a *cmdutil.Factory, c *cmdutil.Choice, dir string) error {
	if err := directory.Vacant("render", dir); err != nil {
		return err
	}
	t, err := a.Connection.Connect(ctx)
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
	manifests := len(files) - 2 // without kustomization.yaml and NOTES.md
	if manifests == 0 && p.Forecasts.Err() == nil {
		err = cmdutil.Say(a.Streams.Err, "Nothing to render: %s has all that bootstrap would write.\n", t)
		return err
	}
	if err := directory.Write("render", dir, files); err != nil {
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
		return cmdutil.Ended(cmdutil.ExitCode(err))
	}
	return nil
}
