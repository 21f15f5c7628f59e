package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newEnvironment is a help topic: a command without RunE shows its long text. It lists the variables of those commands.
func newEnvironment(commands ...*cobra.Command) *cobra.Command {
	var b strings.Builder
	b.WriteString(`Each flag of hcctl check and hcctl bootstrap has a variable: HCCTL_, then its name in capitals, with _ for each -.
A flag wins over its variable, and that over the file (--file). Lists have commas in between. An empty variable
says nothing.

`)
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, cmd := range commands {
		all.AddFlagSet(cmd.LocalNonPersistentFlags())
	}
	all.VisitAll(func(f *pflag.Flag) { fmt.Fprintf(&b, "  %-32s --%s\n", variable(f.Name), f.Name) })
	b.WriteString(`
Besides:

  KUBECONFIG                       files with the clusters, as kubectl reads them
  HTTPS_PROXY, NO_PROXY            as everywhere
  NO_COLOR, TERM=dumb              no colours
  CI                               one plain line for each change instead of a display that moves`)
	return &cobra.Command{Use: "environment", Short: "What the variables of the environment mean", Long: b.String()}
}
