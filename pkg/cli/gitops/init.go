package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/rendering"
	"github.com/hcctl/hcctl/pkg/fleet/gitops"
)

func newInit(a *cmdutil.Factory) *cobra.Command {
	o, files := gitops.Options{}, []string{}
	cmd := &cobra.Command{
		Use:   "init DIR -f FILE",
		Short: "Write a Git repository for a fleet: clusters, virtualization, a demo VM, ApplicationSets",
		Long: `init writes a repository to start from into DIR, which may be a clone. It contacts no cluster, overwrites
no file, and writes no Secret: what is missing, and forms for external or sealed secrets, are in secrets/.

The fleet needs environments, such as dev and prod. The repository has a kustomize base and an overlay for each:
the hosted clusters with hooks that run hcctl check and hcctl wait, OpenShift Virtualization in them with a pinned
version, and a virtual machine that is stopped. argocd/ is applied once by an administrator: ApplicationSets,
projects, health checks for HostedCluster and NodePool, and accounts for the hooks with the rights of what they
run.

--clusters-from says how Argo CD finds the hosted clusters: placement (the decisions of Open Cluster Management,
with a hub) or labels (cluster Secrets with the label env).`,
		Example: "  hcctl gitops init fleet/ -f fleet.yaml --repo-url https://git.example.com/team/fleet.git \\\n" +
			"    --image registry.example.com/tools/hcctl:1.0 \\\n" +
			"    --virtualization-csv kubevirt-hyperconverged-operator.v4.20.1",
		Args: oneDirectory,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runInit(cmd, a, o, files, args[0])
		},
	}
	set := cmd.Flags()
	set.StringSliceVarP(&files, "file", "f", nil, "file or directory with the Fleet (repeatable)")
	a.Files.BindAllowed(set)
	set.StringVar(&o.RepoURL, "repo-url", "", "where Argo CD clones the repository from (required)")
	set.StringVar(&o.Revision, "revision", "main", "branch or tag that Argo CD follows")
	set.StringVar(&o.Path, "path", "", "directory of DIR in the repository, where it is not its root")
	set.StringVar(&o.Image, "image", "", "image that has hcctl in its PATH, for the hooks (required)")
	set.StringVar((*string)(&o.ClustersFrom), "clusters-from", string(gitops.Placement), "how Argo CD finds the hosted "+
		"clusters: placement or labels")
	set.StringVar(&o.ArgoNamespace, "argocd-namespace", gitops.DefaultNamespace, "namespace of Argo CD")
	set.StringVar(&o.VirtualizationCSV, "virtualization-csv", "", "version of OpenShift Virtualization, as OLM names it "+
		"(required)")
	set.StringVar(&o.VirtualizationChannel, "virtualization-channel", "stable", "channel of OpenShift Virtualization")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	cmdutil.Complete(cmd, "clusters-from", string(gitops.Placement), string(gitops.Labels))
	for _, free := range []string{"repo-url", "revision", "path", "image", "argocd-namespace", "virtualization-csv",
		"virtualization-channel"} {
		cmdutil.Complete(cmd, free)
	}
	return cmd
}

func oneDirectory(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return cmdutil.Misuse(cmd, fmt.Errorf("%s takes one directory", cmd.CommandPath()))
	}
	return nil
}

func runInit(cmd *cobra.Command, a *cmdutil.Factory, o gitops.Options, files []string, dir string) error {
	environments, err := rendering.Environments(a, files, "")
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	secrets := 0
	for _, e := range environments {
		if e.Name == "" {
			continue
		}
		o.Environments = append(o.Environments, gitops.Environment(e))
		secrets += len(e.Secrets)
	}
	repository, err := gitops.Repository(o)
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	if err := write(dir, repository); err != nil {
		return err
	}
	for _, f := range repository {
		if err := cmdutil.Say(a.Streams.Out, "%s\n", filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	for _, clusters := range gitops.SameNames(o.Environments) {
		cmdutil.Tell(a.Streams.Err, "Warning: hosted clusters %s have the same name, and Argo CD brings both onto one "+
			"management cluster: only one can be imported, and have the domain of its applications. Give each environment "+
			"clusters of its own: {metadata: {name: front-dev}, environments: [dev]}\n", clusters)
	}
	cmdutil.Tell(a.Streams.Err, "%s; no cluster was contacted. %s missing: %s says which. How it goes on is in %s.\n",
		plural.Count(len(repository), "file"), plural.Count(secrets, "Secret")+" to make,",
		filepath.Join(dir, "secrets", "README.md"), filepath.Join(dir, "README.md"))
	return nil
}

// write writes all files or none, and never over an existing file.
func write(dir string, files []gitops.File) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a directory with manifests and no secret
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range files {
		if _, err := root.Lstat(filepath.FromSlash(f.Path)); !errors.Is(err, fs.ErrNotExist) {
			return cmdutil.WithHint(fmt.Errorf("%s is there already (or cannot be looked at), and no file is overwritten; "+
				"nothing was written", filepath.Join(dir, filepath.FromSlash(f.Path))),
				"give another directory, and take over what you want from it")
		}
	}
	for i, f := range files {
		if err := writeOne(root, f); err != nil {
			for _, done := range files[:i] {
				_ = root.Remove(filepath.FromSlash(done.Path))
			}
			return fmt.Errorf("%s: nothing was written: %w", dir, err)
		}
	}
	return nil
}

func writeOne(root *os.Root, f gitops.File) error {
	path := filepath.FromSlash(f.Path)
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Data)
	return errors.Join(err, file.Close())
}
