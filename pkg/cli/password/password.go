// Package password implements hcctl password.
package password

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/console"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
	"github.com/hcctl/hcctl/pkg/step"
)

// passwordReport is the document of password -o json: docs/schema/password.json.
type passwordReport struct {
	step.TypeMeta
	HostedCluster string `json:"hostedCluster"`
	User          string `json:"user"`
	Password      string `json:"password"`
	// Console is empty if the hosted cluster does not report it (yet), or if it is not an https address.
	Console string `json:"console,omitempty"`
}

// New returns the command password.
func New(a *cmdutil.Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:     "password NAME",
		GroupID: "hosted",
		Short:   "Print the password of a hosted cluster's user kubeadmin",
		Long: `password prints the password of kubeadmin, the first user of a hosted cluster, on stdout. On a terminal it
also prints, on stderr, whose password it is and where the web console is.

A password with control characters or white space is refused: the operator never writes such a password. The
console's address is shown only if it is https.

A cluster with an external OIDC provider has none; the exit code is 3 then, as it is while the operator has not
published it yet.`,
		Example: "  hcctl password kv-00\n  oc login -u kubeadmin -p \"$(hcctl password kv-00)\" https://API:6443",
		Args:    cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPassword(cmd.Context(), a, cmdutil.ClustersNamespace(a.Call), args[0], output)
		},
	}
	cmdutil.DescribedOutputFlag(cmd, &output, "output format: json, with user and console", "json")
	return cmd
}

func runPassword(ctx context.Context, a *cmdutil.Factory, namespace, name, output string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	hc, password, err := kubeconfig.Password(ctx, t.Client, namespace, name)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	if output == "json" {
		address, err := console.Address(ctx, t, hc)
		if _, refused := guest.RefusedFinding(err); refused {
			return err
		}
		if err != nil || !sanitize.Link(address) {
			address = "" // JSON omits the reason, and an address that is not a safe link
		}
		return cmdutil.WriteJSON(a.Streams.Out, passwordReport{step.NewTypeMeta("Password"), kube.Name(hc),
			kubeconfig.PasswordUser, password, address})
	}
	if err := a.Streams.Document([]byte(password + "\n")); err != nil { // Password has checked that it is one visible word
		return err
	}
	if !cmdutil.IsTerminal(a.Streams.Err) {
		return nil
	}
	address, err := console.Address(ctx, t, hc)
	cmdutil.Tell(a.Streams.Err, "User %s of hosted cluster %s, console %s\n", kubeconfig.PasswordUser, kube.Name(hc),
		console.Words(address, err))
	return nil
}
