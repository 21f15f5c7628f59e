package create

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/folder"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/overlays"
)

// checkRender refuses what goes with a run only.
func checkRender(f cmdutil.FleetFlags, probes bool) error {
	if f.DryRun || f.Output != "" || probes || len(f.SkipPreflight) > 0 {
		return errors.New("--render writes manifests and contacts no server: not with --dry-run, --output, --probe or " +
			"--skip-preflight")
	}
	return nil
}

// renderFleet writes the clusters of the files as a kustomize base, and an overlay for each environment. It contacts no
// server.
func renderFleet(a *cmdutil.Factory, cmd *cobra.Command, f cmdutil.FleetFlags, dir string) error {
	if err := folder.Vacant(dir); err != nil {
		return err
	}
	names := []string{f.Env}
	if f.Env == "" {
		found, err := a.Environments(f.Files)
		if err != nil {
			return cmdutil.Misuse(cmd, err)
		}
		if len(found) > 0 {
			names = found
		}
	}
	var all []overlays.Environment
	var leftOut []string
	for _, name := range names {
		objects, secrets, err := renderEnvironment(a, f.Files, name)
		if err != nil {
			return cmdutil.Misuse(cmd, err)
		}
		all = append(all, overlays.Environment{Name: name, Objects: objects})
		leftOut = append(leftOut, secrets...)
	}
	files, err := overlays.Files(all)
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	written := []cmdutil.File{{Path: "NOTES.md", Data: []byte(fleetNotes(names, leftOut))}}
	for _, file := range files {
		written = append(written, cmdutil.File(file))
	}
	if err := folder.Write(dir, written); err != nil {
		return err
	}
	for _, file := range written {
		if err := cmdutil.Say(a.Streams.Out, "%s\n", filepath.Join(dir, filepath.FromSlash(file.Path))); err != nil {
			return err
		}
	}
	cmdutil.Tell(a.Streams.Err, "%s; no cluster was contacted. Which Secrets are missing, and how to apply the folder, "+
		"is in %s.\n", plural.Count(len(written), "file"), filepath.Join(dir, "NOTES.md"))
	return nil
}

// renderEnvironment are the objects of all clusters of an environment, and the names of the Secrets that were left out.
// Errors have the line of the file that says the value.
func renderEnvironment(a *cmdutil.Factory, paths []string, env string) ([]*unstructured.Unstructured, []string, error) {
	clusters, err := a.WantedClusters(paths, env)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range clusters {
		if c.Options.InfraID == "" {
			// The same each time, so that rendering again changes nothing.
			c.Options.InfraID = creation.FixedInfraID(c.Options.Namespace, c.Options.Name)
		}
	}
	valid, err := cmdutil.ReadClusters(a, clusters)
	if err != nil {
		return nil, nil, err
	}
	var all []*unstructured.Unstructured
	var secrets []string
	var errs []error
	seen := map[string]bool{}
	for i, o := range valid {
		rendered, err := creation.Render(o, false)
		if err != nil {
			errs = append(errs, cmdutil.BlameFile(err, clusters[i], nil))
			continue
		}
		secrets = append(secrets, rendered.LeftOut...)
		for _, object := range rendered.Objects {
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", kube.Name(object), err)
			}
			u := &unstructured.Unstructured{Object: content}
			delete(u.Object, "status")
			unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
			if u.GetKind() == "Namespace" {
				if delete(u.Object, "spec"); seen[u.GetName()] {
					continue // clusters share it
				}
				seen[u.GetName()] = true
			}
			all = append(all, u)
		}
	}
	return all, secrets, errors.Join(errs...)
}

// fleetNotes is NOTES.md.
func fleetNotes(environments, secrets []string) string {
	var b strings.Builder
	b.WriteString("# Hosted clusters\n\nWritten by `hcctl apply --render`. `base` has what all environments share, each " +
		"folder of `overlays` what differs.\n\n")
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
			"folder, for example with a tool for sealed or external secrets:\n\n")
		for _, name := range slices.Compact(secrets) {
			fmt.Fprintf(&b, "- %s\n", name)
		}
	}
	return b.String()
}
