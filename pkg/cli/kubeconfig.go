package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

func newKubeconfig(a *app) *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:     "kubeconfig --name NAME",
		GroupID: "hosted",
		Short:   "Print a hosted cluster's admin kubeconfig on stdout",
		Long: `kubeconfig prints the admin kubeconfig of a hosted cluster on stdout, as the HyperShift operator wrote it.
It gives full access to that cluster: keep it as you keep a password.`,
		Example: "  hcctl kubeconfig --name kv-00 > kv-00-kubeconfig",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if name == "" {
				return misuse(cmd, fmt.Errorf("--name: which hosted cluster?"))
			}
			return a.kubeconfig(cmd.Context(), a.clustersNamespace(), name)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the hosted cluster (required)")
	return cmd
}

// clustersNamespace is --namespace, else the namespace HostedClusters are kept in by default.
func (a *app) clustersNamespace() string {
	if ns := *a.kubeFlags.Namespace; ns != "" {
		return ns
	}
	return hostedcluster.Defaults().Namespace
}

func (a *app) kubeconfig(ctx context.Context, namespace, name string) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	data, err := kubeconfig.Fetch(ctx, t.Client, namespace, name)
	if err != nil {
		return err
	}
	_, err = a.streams.Out.Write(data)
	return err
}
