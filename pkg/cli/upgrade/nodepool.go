package upgrade

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
)

func newUpgradeNodePool(a *cmdutil.Factory) *cobra.Command {
	f, wait, version, image := &cmdutil.ChangeFlags{}, upgrade.WaitComplete, "", ""
	several := &each.Flags{Pools: true}
	cmd := &cobra.Command{
		Use:     each.UsePools,
		Aliases: []string{"np"},
		Short:   "Upgrade a node pool to its control plane's release, or to one in between",
		Long: `upgrade nodepool writes the pool's release and waits until all its nodes run that version; its VMs are
replaced one after the other. The default is the release that its control plane runs. A pool is never newer than its
control plane, is never downgraded, and may be at most three minor versions behind. After an interruption, run the
same command again to continue.`,
		Example: `  hcctl upgrade nodepool kv-00
  hcctl upgrade nodepool kv-00 kv-01 --parallel 2
  hcctl upgrade nodepool kv-00-gpu --version 4.20.4 --dry-run`,
		Args: several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := upgrade.ValidatePool(version, image, wait); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.Prompter.NeedsConsent("upgrade nodepool", f.DryRun); err != nil {
				return err
			}
			return each.CarryOut(cmd.Context(), a, several, f, args, each.Work{Command: "upgrade nodepool",
				Kind: "UpgradeNodePoolPlan", Ask: "Upgrade %s and replace their VMs", Heading: "Upgrading %s",
				Prepare: func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) (each.Change, error) {
					return upgradeNodePool(ctx, t, one, version, image, wait)
				}})
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "version to upgrade to, such as 4.20.4; by default the control plane's")
	cmd.Flags().StringVar(&image, "release-image", "", "release image to upgrade to; by default the control plane's")
	cmd.Flags().StringVar((*string)(&wait), "wait", string(wait), "what to wait for: none or complete")
	cmdutil.Complete(cmd, "wait", "none", "complete")
	several.Bind(cmd)
	f.Bind(cmd, a, 3*time.Hour)
	return cmd
}

// upgradeNodePool returns the upgrade of one node pool.
func upgradeNodePool(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName, version, image string,
	wait upgrade.Wait) (each.Change, error) {
	namespace, name := one.Namespace, one.Name
	p, err := upgrade.PreparePool(ctx, t.Client, namespace, name, version, image, wait)
	if err != nil {
		return each.Change{}, err
	}
	what := fmt.Sprintf("NodePool %s/%s of hosted cluster %s from %s to %s", namespace, name, p.Pool.Spec.ClusterName,
		cmp.Or(p.From, "no version"), p.Target.Name())
	return each.Change{
		Notes:    p.Notes,
		Destroys: true,
		About: cmdutil.Textf("of hosted cluster %s, from %s to %s, %s", p.Pool.Spec.ClusterName,
			cmp.Or(p.From, "no version"), p.Target.Name(), plural.Count(int(p.Pool.Status.Replicas), "VM")),
		Question: cmdutil.Textf("Upgrade %s and replace its %s on %s?", what,
			plural.Count(int(p.Pool.Status.Replicas), "VM"), t.Named()),
		Heading: cmdutil.Textf("Upgrading %s on %s\nRelease %s", what, t, p.Target.Image),
		Done:    fmt.Sprintf("NodePool %s/%s is set to %s.", namespace, name, p.Target.Name()),
		Steps:   p.Steps(),
	}, nil
}
