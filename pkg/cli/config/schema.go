package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
)

func newConfigSchema(a *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of file, for editors",
		Long: `config schema prints the JSON Schema of hcctl.yaml (kind bootstrap), of a cluster or of a fleet on stdout. An
editor that uses it completes fields and marks what is wrong while you write. No cluster is contacted.`,
		Example: `  hcctl config schema > hcctl.schema.json
  hcctl config schema cluster > cluster.schema.json`,
		ValidArgs: lowered(config.Kinds()),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(lowered(config.Kinds()), strings.ToLower(args[0])) {
				return cmdutil.Misuse(cmd, fmt.Errorf("%q: %s takes one of %s", strings.Join(args, " "), cmd.CommandPath(),
					strings.Join(lowered(config.Kinds()), ", ")))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			kind := config.Kind
			for _, known := range config.Kinds() {
				if len(args) > 0 && strings.EqualFold(known, args[0]) {
					kind = known
				}
			}
			data, err := config.Schema(kind)
			if err != nil {
				return err
			}
			return a.Streams.Document(data)
		},
	}
}

func lowered(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = strings.ToLower(word)
	}
	return out
}
