package upgrade

import (
	"cmp"
	"errors"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// hubUpgrade are the flags of upgrade cluster for a hub.
type hubUpgrade struct {
	on          bool
	wave        hub.Wave
	unavailable int
}

func (h *hubUpgrade) bind(cmd *cobra.Command) {
	hubrun.Bind(cmd, &h.on)
	cmd.Flags().StringVar((*string)(&h.wave), "wave", "", "with --hub: what is upgraded after another: site or env")
	cmd.Flags().IntVar(&h.unavailable, "max-unavailable", 0, "with --hub: how many hosted clusters are upgraded at once, "+
		"each group once all of the one before are done; 0 means all of a wave")
	cmdutil.Complete(cmd, "wave", string(hub.BySite), string(hub.ByEnv))
}

// validate returns an error for flags that do not go together.
func (h *hubUpgrade) validate(cmd *cobra.Command, r upgrade.Request) error {
	err := hubrun.Without(cmd, h.on, []string{"allow-not-recommended"}, "wave", "max-unavailable")
	switch {
	case err != nil || !h.on:
		return err
	case !r.Targeted() && r.Channel == "":
		return errors.New("--version: with --hub give it, --release-image, --force-to or --channel")
	case len(r.NodePools) != 1 || r.NodePools[0] != "all" && r.NodePools[0] != "none":
		return errors.New("--node-pools: with --hub give all or none")
	case h.unavailable < 0:
		return fmt.Errorf("--max-unavailable %d: it cannot be negative; 0 means all of a wave", h.unavailable)
	}
	return errors.Join(h.wave.Validate(), r.Validate())
}

func (h *hubUpgrade) run(cmd *cobra.Command, a *cmdutil.Factory, several *each.Flags, names []string, r upgrade.Request,
	f *cmdutil.ChangeFlags) error {
	if err := f.Validate(); err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	image := cmp.Or(r.ForceTo, r.ReleaseImage)
	if version, known := hostedcluster.ParseVersion(r.Version); known {
		t, err := a.Connection.Connect(cmd.Context())
		if err != nil {
			return err
		}
		// multicluster engine offers the same releases on the hub and on the sites. A site that cannot pull the
		// image reports it.
		found, err := release.Resolve(cmd.Context(), t.Client, release.Request{Version: version,
			Arch: hyperv1.ArchitectureAMD64})
		if err != nil {
			return cmdutil.NameFlags(err)
		}
		image = found.Image
	}
	wait, ask := r.Wait != upgrade.WaitNone, "Upgrade %s, whose worker VMs are replaced"
	if image == "" {
		ask = "Set the update channel of %s"
	}
	return hubrun.Change{Choice: hubrun.Choice{Names: names, Selector: several.Selector, All: several.All},
		Command: "upgrade cluster",
		Kind:    "UpgradePlan", Ask: ask, Heading: "Upgrading %s", Destroys: wait && image != "",
		Wave: h.wave, AtOnce: h.unavailable, Run: f.Fleet(several.Parallel),
		Steps: func(c *kube.Client, one *hub.Cluster) ([]step.Step, error) {
			return hub.Upgrade(c, one, hub.UpgradeOptions{Image: image, Channel: r.Channel, Force: r.ForceTo != "",
				Wait: wait, ControlPlaneOnly: r.NodePools[0] == "none"})
		}}.Carry(cmd.Context(), a)
}
