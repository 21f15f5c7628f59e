package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/exec"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// NewEnvironment makes the help topic with the environment variables of these commands. A command without RunE
// shows its long text.
func NewEnvironment(commands ...*cobra.Command) *cobra.Command {
	var b strings.Builder
	b.WriteString(
		`Each flag of hcctl check and hcctl bootstrap has a variable: HCCTL_, then its name in capitals, with _ for each -.
A flag wins over its variable, and that over the file (--file). Lists have commas in between. An empty variable
has no effect. No other command has such variables: a HCCTL_YES or HCCTL_TIMEOUT for bootstrap does not reach
hcctl delete cluster.

`)
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, cmd := range commands {
		all.AddFlagSet(cmd.LocalNonPersistentFlags())
	}
	all.VisitAll(func(f *pflag.Flag) { fmt.Fprintf(&b, "  %-32s --%s\n", cmdutil.Variable(f.Name), f.Name) })
	b.WriteString(`
Besides:

  KUBECONFIG                       files with the clusters, as kubectl reads them
  HTTPS_PROXY, NO_PROXY            as everywhere
  NO_COLOR, TERM=dumb              no colours
  CI                               one plain line for each change instead of a display that moves
  HCCTL_PAGER, PAGER               what shows pages of hcctl docs and explain on a terminal, else less; cat: none
  SHELL                            what hcctl exec NAME runs without a command
  XDG_RUNTIME_DIR, TMPDIR          where the kubeconfig of a command of hcctl exec lies while it runs
                                   (the former if it is yours alone: mode 0700)
  SUDO_UID                         with root: whose kubeconfig may be changed besides root's own

Set by hcctl, for the command that hcctl exec runs:

  KUBECONFIG                       the hosted cluster's admin kubeconfig, and no other
`)
	fmt.Fprintf(&b, "  %-32s NAMESPACE/NAME of the hosted cluster, such as for a prompt", exec.ClusterVariable)
	return &cobra.Command{Use: "environment", Short: "What the variables of the environment mean", Long: b.String()}
}
