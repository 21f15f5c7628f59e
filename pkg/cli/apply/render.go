package apply

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/directory"
	"github.com/hcctl/hcctl/pkg/cli/internal/rendering"
	"github.com/hcctl/hcctl/pkg/fleet/gitops/overlays"
)

// checkRender returns an error for flags that have no effect with --render.
func checkRender(f cmdutil.FleetFlags, probes bool) error {
	if f.DryRun || f.Output != "" || probes || len(f.SkipPreflight) > 0 {
		return errors.New("--render writes manifests and contacts no server: not with --dry-run, --output, --probe or " +
			"--skip-preflight")
	}
	return nil
}

// renderFleet writes the clusters of the files as a kustomize base, with an overlay for each environment. It
// contacts no server.
func renderFleet(a *cmdutil.Factory, cmd *cobra.Command, f cmdutil.FleetFlags, dir string) error {
	if err := directory.Vacant("render", dir); err != nil {
		return err
	}
	environments, err := rendering.Environments(a, f.Files, f.Env)
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	var all []overlays.Environment
	var names, leftOut []string
	for _, e := range environments {
		all = append(all, overlays.Environment{Name: e.Name, Objects: e.Objects})
		names, leftOut = append(names, e.Name), append(leftOut, e.Secrets...)
	}
	files, err := overlays.Files(all)
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	written := []cmdutil.File{{Path: "NOTES.md", Data: []byte(fleetNotes(names, leftOut))}}
	for _, file := range files {
		written = append(written, cmdutil.File(file))
	}
	if err := directory.Write("render", dir, written); err != nil {
		return err
	}
	for _, file := range written {
		if err := cmdutil.Say(a.Streams.Out, "%s\n", filepath.Join(dir, filepath.FromSlash(file.Path))); err != nil {
			return err
		}
	}
	cmdutil.Tell(a.Streams.Err, "%s; no cluster was contacted. Which Secrets are missing, and how to apply the "+
		"directory, is in %s.\n", plural.Count(len(written), "file"), filepath.Join(dir, "NOTES.md"))
	return nil
}

// fleetNotes returns the content of NOTES.md.
func fleetNotes(environments, secrets []string) string {
	var b strings.Builder
	b.WriteString("# Hosted clusters\n\nWritten by `hcctl apply --render`. `base` has what all environments share, each " +
		"directory of `overlays` what differs.\n\n")
	for _, env := range environments {
		at := "base"
		if env != "" {
			at = "overlays/" + env
		}
		fmt.Fprintf(&b, "    oc apply --server-side -k %s\n", at)
	}
	b.WriteString("\nThe clusters' own services, such as network plug-ins, are not in it: `hcctl apply` brings them.\n")
	slices.Sort(secrets)
	if len(secrets) > 0 {
		b.WriteString("\n## Secrets that are missing\n\nhcctl writes no Secret to files. Make these before you apply the " +
			"directory, for example with a tool for sealed or external secrets:\n\n")
		for _, name := range slices.Compact(secrets) {
			fmt.Fprintf(&b, "- %s\n", name)
		}
	}
	return b.String()
}
