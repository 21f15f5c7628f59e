package kubeconfig

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// consoleReport is the document of console -o json: docs/schema/console.json.
type consoleReport struct {
	APIVersion    string `json:"apiVersion"`
	Kind          string `json:"kind"`
	HostedCluster string `json:"hostedCluster"`
	URL           string `json:"url"`
}

// NewConsole returns the command console.
func NewConsole(a *cmdutil.Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:     "console NAME",
		GroupID: "hosted",
		Short:   "Print the address of a hosted cluster's web console",
		Long: `console prints the address of a hosted cluster's web console on stdout. It asks the hosted cluster's own API
server, with the kubeconfig of its administrator. An address that is not https is refused.

The exit code is 3 while the hosted cluster has no console yet: it comes up with the first worker nodes.`,
		Example: "  hcctl console kv-00\n  xdg-open \"$(hcctl console kv-00)\"",
		Args:    cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmdutil.OneOf(output, "", "json"); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return runConsole(cmd.Context(), a, cmdutil.ClustersNamespace(a), args[0], output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "output format: json")
	cmdutil.Complete(cmd, "output", "json")
	return cmd
}

// noConsoleError means that a hosted cluster has no web console yet.
type noConsoleError struct{ namespace, name string }

func (e *noConsoleError) Error() string {
	return fmt.Sprintf("hosted cluster %s/%s has no web console yet", e.namespace, e.name)
}

// Hint is what to wait for.
func (e *noConsoleError) Hint() string {
	return "hcctl wait cluster " + hostedcluster.Argument(e.namespace, e.name)
}

// ExitCode says that it is not there yet.
func (*noConsoleError) ExitCode() int { return cmdutil.ExitMissing }

func runConsole(ctx context.Context, a *cmdutil.Factory, namespace, name, output string) error {
	t, err := a.Dial()
	if err != nil {
		return err
	}
	hc, err := hostedcluster.Find(ctx, t.Client, namespace, name)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	address, err := console(ctx, t, hc)
	_, refused := guest.RefusedFinding(err)
	switch {
	case refused:
		return err
	case kube.IsKindMissing(err):
		return &noConsoleError{namespace, name}
	case err != nil:
		return fmt.Errorf("the hosted cluster cannot be asked for its web console: %w", err)
	case address == "":
		return &noConsoleError{namespace, name}
	case !sanitize.Link(address):
		return errors.New("the address that the hosted cluster reports of its web console is refused: it is not an https " +
			"address of a host")
	}
	if output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, consoleReport{"hcctl.dev/v1alpha1", "Console", kube.Name(hc), address})
	}
	return cmdutil.Say(a.Streams.Out, "%s\n", cmdutil.Link(address))
}
