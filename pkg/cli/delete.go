package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func newDelete(a *app) *cobra.Command {
	cmd := noun("delete", "Delete a hosted cluster", newDeleteCluster(a))
	cmd.GroupID = "hosted"
	return cmd
}

func newDeleteCluster(a *app) *cobra.Command {
	timeout := 30 * time.Minute
	cmd := &cobra.Command{
		Use:   "cluster NAME",
		Short: "Delete a hosted cluster and wait until nothing of it is left",
		Long: `delete cluster detaches the ManagedCluster, deletes the HostedCluster with its NodePools, waits until the control
plane's namespace is gone, and removes the Secrets that create cluster made. It says what it waits for.
If the HostedCluster is gone already, what is left of it is removed.`,
		Example: "  hcctl delete cluster kv-00",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse(cmd, fmt.Errorf("which hosted cluster? %s takes one name", cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.deleteCluster(cmd.Context(), a.clustersNamespace(), args[0], timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "how long the whole may take")
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "do not ask before deleting")
	return cmd
}

func (a *app) deleteCluster(ctx context.Context, namespace, name string, timeout time.Duration) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	deletion, err := hostedcluster.PrepareDelete(ctx, t.Client, namespace, name)
	if err != nil {
		return err
	}
	if err := a.confirm(ctx, fmt.Sprintf("Delete hosted cluster %s/%s with all its data on %s?", namespace, name, t.named())); err != nil {
		return err
	}
	r, err := a.run(ctx, t, fmt.Sprintf("Deleting hosted cluster %s/%s on %s", namespace, name, t), timeout, deletion.Steps())
	if err != nil {
		return err
	}
	return r.Err()
}
