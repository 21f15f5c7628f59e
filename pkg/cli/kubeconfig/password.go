package kubeconfig

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// passwordReport is the document of password -o json: docs/schema/password.json.
type passwordReport struct {
	APIVersion    string `json:"apiVersion"`
	Kind          string `json:"kind"`
	HostedCluster string `json:"hostedCluster"`
	User          string `json:"user"`
	Password      string `json:"password"`
	// Console is empty if the hosted cluster does not report it (yet), or it is not an https address.
	Console string `json:"console,omitempty"`
}

// NewPassword returns the command password.
func NewPassword(a *cmdutil.Factory) *cobra.Command {
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
			if err := cmdutil.OneOf(output, "", "json"); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return runPassword(cmd.Context(), a, cmdutil.ClustersNamespace(a), args[0], output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "output format: json, with user and console")
	cmdutil.Complete(cmd, "output", "json")
	return cmd
}

func runPassword(ctx context.Context, a *cmdutil.Factory, namespace, name, output string) error {
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	hc, password, err := kubeconfig.Password(ctx, t.Client, namespace, name)
	if err != nil {
		return err
	}
	if output == "json" {
		console, err := console(ctx, t, hc)
		if _, refused := guest.RefusedFinding(err); refused {
			return err
		}
		if err != nil || !sanitize.Link(console) {
			console = "" // why it is not known is for a person, and nobody should open what is no link
		}
		return cmdutil.WriteJSON(a.Streams.Out, passwordReport{"hcctl.dev/v1alpha1", "Password", kube.Name(hc),
			kubeconfig.PasswordUser, password, console})
	}
	if err := a.Document([]byte(password + "\n")); err != nil { // which Password has found to be one visible word
		return err
	}
	if !cmdutil.IsTerminal(a.Streams.Err) {
		return nil
	}
	console, err := console(ctx, t, hc)
	cmdutil.Tell(a.Streams.Err, "User %s of hosted cluster %s, console %s\n", kubeconfig.PasswordUser, kube.Name(hc),
		ConsoleWords(console, err))
	return nil
}

// ConsoleWords returns the console's address for a person.
func ConsoleWords(console string, err error) cmdutil.Text {
	switch {
	case err != nil:
		return cmdutil.Textf("not known: the hosted cluster cannot be asked: %s", kube.Explain(err))
	case console == "":
		return "not up yet"
	}
	return cmdutil.Link(console)
}

// console asks the hosted cluster for the address of its web console.
func console(ctx context.Context, t *cmdutil.Target, hc *hyperv1.HostedCluster) (string, error) {
	hosted, err := guest.Connect(ctx, t.Client, hc)
	if err != nil {
		return "", err
	}
	return guest.ConsoleURL(ctx, hosted)
}
