package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

func newVersion(a *cmdutil.Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print hcctl's version; no cluster is contacted",
		Long: `version prints hcctl's version, its commit and the commit's date, the operating system and processor it
was built for, and the version of Go that built it. No cluster is contacted.`,
		Example: "  hcctl version\n  hcctl version -o json",
		Args:    cmdutil.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if output == "json" {
				return sanitize.NewJSONEncoder(a.Streams.Out).Encode(map[string]string{
					"version": cmdutil.Version, "commit": cmdutil.Commit, "date": cmdutil.Date,
					"os": runtime.GOOS, "arch": runtime.GOARCH, "go": runtime.Version()})
			}
			return printVersion(a)
		},
	}
	cmdutil.OutputFlag(cmd, &output, "json")
	return cmd
}

func printVersion(a *cmdutil.Factory) error {
	return cmdutil.Say(a.Streams.Out, "%s\n", versionLine(cmdutil.Version, cmdutil.Commit, cmdutil.Date))
}

// versionLine leaves out the commit in a build without linker flags.
func versionLine(version, commit, date string) string {
	line := fmt.Sprintf("hcctl %s %s/%s %s", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	if commit == "" {
		return line
	}
	return line + fmt.Sprintf(" (commit %.12s of %s)", commit, date)
}
