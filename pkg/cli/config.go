package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/config"
)

func newConfig(a *app) *cobra.Command {
	cmd := noun("config", "Write, check and describe hcctl.yaml, the file of settings", newConfigInit(a), newConfigValidate(a), newConfigSchema(a))
	cmd.GroupID = "management"
	return cmd
}

func newConfigInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented file of settings to begin with",
		Long: `config init writes every setting with its meaning and default, to FILE or else to stdout. A file that exists is
never overwritten. No cluster is contacted.`,
		Example: "  hcctl config init hcctl.yaml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return misuse(cmd, fmt.Errorf("unexpected argument %q: %s takes one FILE", args[1], cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "-" {
				_, err := a.streams.Out.Write(config.Initial())
				return err
			}
			if err := writeNew(args[0], config.Initial()); err != nil {
				return misuse(cmd, err)
			}
			_, _ = fmt.Fprintf(a.streams.Err, "Wrote %[1]s. Next: hcctl config validate -f %[1]s\n", args[0])
			return nil
		},
	}
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // the user names the file; it holds no secrets
	if errors.Is(err, fs.ErrExist) {
		return &hinted{fmt.Errorf("%s exists, and is never overwritten", path), "give another name, or remove it first"}
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

func newConfigValidate(a *app) *cobra.Command {
	path := ""
	cmd := &cobra.Command{
		Use:   "validate -f FILE",
		Short: "Say whether a file of settings is right, and which line is not",
		Long: `config validate reads a file as check and bootstrap do: unknown or repeated fields, wrong types and values that
cannot work are errors. It exits 0 if all is right, else 2. No cluster is contacted.`,
		Example: "  hcctl config validate -f hcctl.yaml",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if path == "" {
				return misuse(cmd, errors.New("--file: which file? - is standard input"))
			}
			f, err := a.settingsFile("--file", path)
			if err != nil {
				return misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				if located := f.Locate(err); located != nil {
					err = located
				}
				return misuse(cmd, err)
			}
			_, err = fmt.Fprintf(a.streams.Out, "%s is valid\n", f.Name())
			return err
		},
	}
	cmd.Flags().StringVarP(&path, "file", "f", "", "file to check; - is standard input (required)")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	return cmd
}

func newConfigSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of hcctl.yaml, for editors",
		Example: "  hcctl config schema > hcctl.schema.json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			data, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = a.streams.Out.Write(data)
			return err
		},
	}
}
