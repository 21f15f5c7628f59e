// Package console implements hcctl console: the address of the web console, or the serial console of a node.
package console

import (
	"context"
	"errors"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/serial"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// consoleReport is the document of console -o json: docs/schema/console.json.
type consoleReport struct {
	step.TypeMeta
	HostedCluster string `json:"hostedCluster"`
	URL           string `json:"url"`
}

// New returns the command console.
func New(a *cmdutil.Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:     "console NAME [NODE]",
		GroupID: "hosted",
		Short:   "Print the address of a hosted cluster's web console, or open a node's serial console",
		Long: `console NAME prints the address of a hosted cluster's web console on stdout. It asks the hosted cluster's own
API server, with the kubeconfig of its administrator. An address that is not https is refused. The exit code is 3
while the hosted cluster has no console yet: it comes up with the first worker nodes.

console NAME NODE opens the serial console of a worker's VM on this terminal, through the API server of the management
cluster and KubeVirt's console subresource; a VM on an infrastructure cluster is reached through that one's API server.
Every key goes to the machine; Ctrl-] leaves. A console has one reader: opening it ends the session of whoever has it
open. What the machine prints goes to the terminal as it is, as with virtctl: it can colour and clear the screen, so
open the console only of machines whose users you trust with that. Where the output is no terminal, control characters
are shown and not obeyed.`,
		Example: "  hcctl console kv-00\n  xdg-open \"$(hcctl console kv-00)\"\n  hcctl console kv-00 kv-00-x7k2q",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return cmdutil.Misuse(cmd, fmt.Errorf("unexpected argument %q: console takes a hosted cluster and a node", args[2]))
			}
			return cmdutil.OneName("hosted cluster")(cmd, args[:min(1, len(args))])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				if output != "" {
					return cmdutil.Misuse(cmd, errors.New("--output: it is about the web console, and a node is named"))
				}
				return serial.Open(cmd.Context(), a, cmdutil.ClustersNamespace(a.Call), args[0], args[1])
			}
			return runConsole(cmd.Context(), a, cmdutil.ClustersNamespace(a.Call), args[0], output)
		},
	}
	cmdutil.OutputFlag(cmd, &output, "json")
	return cmd
}

// noConsole returns the error about a hosted cluster without a web console, with the address that it will have.
func noConsole(hc *hyperv1.HostedCluster) error {
	err := fmt.Errorf("hosted cluster %s has no web console yet", kube.Name(hc))
	if address := hostedcluster.ConsoleURL(hc); sanitize.Link(address) {
		err = fmt.Errorf("%w: it will be at %s", err, address)
	}
	name := hostedcluster.Argument(hc.Namespace, hc.Name)
	if v := hc.Status.Version; v != nil && len(v.History) > 0 && v.History[0].State == configv1.CompletedUpdate {
		// A wait would end at once, because the cause is inside the hosted cluster.
		return cmdutil.Missing(err, "%s", hint.Run("exec", name, "--", "oc", "get", "clusteroperator", "console"))
	}
	return cmdutil.Missing(err, "%s", hint.Run("wait cluster", name))
}

func runConsole(ctx context.Context, a *cmdutil.Factory, namespace, name, output string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	hc, err := hostedcluster.Find(ctx, t.Client, namespace, name)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	address, err := Address(ctx, t, hc)
	_, refused := guest.RefusedFinding(err)
	switch {
	case refused:
		return err
	case kube.IsKindMissing(err):
		return noConsole(hc)
	case err != nil:
		return fmt.Errorf("the hosted cluster cannot be asked for its web console: %w", err)
	case address == "":
		return noConsole(hc)
	case !sanitize.Link(address):
		return errors.New("the address that the hosted cluster reports of its web console is refused: it is not an https " +
			"address of a host")
	}
	if output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, consoleReport{step.NewTypeMeta("Console"), kube.Name(hc), address})
	}
	return cmdutil.Say(a.Streams.Out, "%s\n", cmdutil.Link(address))
}

// Words returns the console's address, or why it is unknown, for a user.
func Words(address string, err error) cmdutil.Text {
	switch {
	case err != nil:
		return cmdutil.Textf("not known: the hosted cluster cannot be asked: %s", kube.Explain(err))
	case address == "":
		return "not up yet"
	}
	return cmdutil.Link(address)
}

// Address reads the address of the web console from the hosted cluster.
func Address(ctx context.Context, t *cmdutil.Target, hc *hyperv1.HostedCluster) (string, error) {
	hosted, err := guest.Connect(ctx, t.Client, hc)
	if err != nil {
		return "", err
	}
	return guest.ConsoleURL(ctx, hosted)
}
