package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
)

// New returns the command config.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("config", "Write, check and describe files: settings (hcctl.yaml) and clusters", newConfigInit(a),
		newConfigValidate(a), newConfigSchema(a))
	cmd.GroupID = "management"
	cmd.Long = configTopic()
	return cmd
}

func newConfigInit(a *cmdutil.Factory) *cobra.Command {
	kind := config.Kind
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented file of settings, or of a cluster, to start from",
		Long: `config init writes every setting with its meaning and default, to FILE or else to stdout; with --kind
Cluster, every option of a hosted cluster. A file that exists is never overwritten. No cluster is contacted.`,
		Example: `  hcctl config init hcctl.yaml
  hcctl config init --kind Cluster kv-00.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cmdutil.Misuse(cmd, fmt.Errorf("unexpected argument %q: %s takes one FILE", args[1], cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			data, ok := map[string]func() []byte{config.Kind: config.Initial, config.KindCluster: config.InitialCluster,
				config.KindFleet: config.InitialFleet}[kind]
			if !ok {
				return cmdutil.Misuse(cmd, fmt.Errorf("--kind %q: use one of %s", kind, strings.Join(config.Kinds(), ", ")))
			}
			if len(args) == 0 || args[0] == "-" {
				return a.Streams.Document(data())
			}
			if err := cmdutil.WriteNew(args[0], data()); err != nil {
				return misnamed(cmd, err)
			}
			cmdutil.Tell(a.Streams.Err, "Wrote %[1]s. Next: hcctl config validate -f %[1]s\n", args[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&kind, "kind", kind, "kind of document: "+strings.Join(config.Kinds(), ", "))
	cmdutil.Complete(cmd, "kind", config.Kinds()...)
	return cmd
}

// misnamed makes an error about an existing file a usage error. A full disk or a missing permission is not one.
func misnamed(cmd *cobra.Command, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return cmdutil.Misuse(cmd, err)
	}
	return err
}

func newConfigValidate(a *cmdutil.Factory) *cobra.Command {
	path := ""
	cmd := &cobra.Command{
		Use:   "validate -f FILE",
		Short: "Check a file, and show which line is wrong",
		Long: `config validate reads a file as the commands that take it do: unknown or repeated fields, wrong types and
values that cannot work are errors. It takes settings (kind Bootstrap) and clusters (kinds Cluster and Fleet, several
in a file), and reads the files that these name. It exits with 0 if the file is valid, otherwise with 2. No cluster
is contacted.`,
		Example: `  hcctl config validate -f hcctl.yaml
  hcctl config validate -f fleet.yaml`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if path == "" {
				return cmdutil.Misuse(cmd, errors.New("--file: which file? - is standard input"))
			}
			valid, err := validateFile(a, path)
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return cmdutil.Say(a.Streams.Out, "%s\n", valid)
		},
	}
	cmd.Flags().StringVarP(&path, "file", "f", "", "file to check; - is standard input (required)")
	a.Files.BindAllowed(cmd.Flags())
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	return cmd
}

// validateFile returns the message for a valid file.
func validateFile(a *cmdutil.Factory, path string) (string, error) {
	data, err := a.Files.File("--file", path)
	if err != nil {
		return "", err
	}
	name, directory := "standard input", "."
	if path != "-" {
		name, directory = path, filepath.Dir(path)
	}
	if config.KindOf(data) != config.Kind {
		return validateClusters(a, name, directory, data)
	}
	f, err := config.Parse(name, directory, data)
	if err != nil {
		return "", err
	}
	if _, err := f.Validate(); err != nil {
		if located := f.Locate(err); located != nil {
			return "", located
		}
		return "", err
	}
	return f.Name() + " is valid", nil
}

// validateClusters returns how many clusters the documents describe, in each of their environments.
func validateClusters(a *cmdutil.Factory, name, directory string, data []byte) (string, error) {
	environments, err := config.Environments(name, data)
	if err != nil {
		return "", err
	}
	count := func(env string) (string, error) {
		clusters, err := config.ParseClusters(name, directory, data, env)
		if err != nil {
			return "", err
		}
		_, err = cmdutil.ReadClusters(a.Files, clusters)
		return plural.Count(len(clusters), "cluster"), err
	}
	if len(environments) == 0 {
		n, err := count("")
		return name + " is valid: " + n, err
	}
	counts := make([]string, len(environments))
	for i, env := range environments {
		n, err := count(env)
		if err != nil {
			return "", err
		}
		counts[i] = env + " has " + n
	}
	return name + " is valid: " + strings.Join(counts, ", "), nil
}
