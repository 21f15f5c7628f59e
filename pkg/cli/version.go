package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/printable"
)

func newVersion(a *app) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print hcctl's version; no cluster is contacted",
		Long: `version prints hcctl's version, the operating system and processor it was built for, and the version of Go that built it.
No cluster is contacted.`,
		Example: "  hcctl version\n  hcctl version -o json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch output {
			case "":
				return say(a.streams.Out, "hcctl %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
			case "json":
				return printable.NewJSONEncoder(a.streams.Out).Encode(map[string]string{
					"version": version, "os": runtime.GOOS, "arch": runtime.GOARCH, "go": runtime.Version()})
			}
			return misuse(cmd, badOutput(output, "json"))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "output format: json")
	return cmd
}
