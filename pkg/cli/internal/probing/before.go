package probing

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/management/probe"
	"github.com/hcctl/hcctl/pkg/step"
)

// Before runs the probes of the flags before new clusters are created, with the settings of these clusters.
// Clusters that exist already are not in plans.
func (f *Flags) Before(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, plans []*creation.Plan) error {
	if !f.Asked() || len(plans) == 0 {
		return nil
	}
	r, err := Run(ctx, a, t, f.optionsFor(plans))
	if err != nil {
		return err
	}
	for _, res := range r.Results {
		if res.Outcome == step.OutcomeWarned {
			a.Notices.Warn(res.Line(), res.Finding.Hint)
		}
	}
	if ctx.Err() != nil {
		return cmdutil.WithHint(ctx.Err(), "nothing was created: run the same command again")
	}
	if err := r.Err(); err != nil {
		return cmdutil.PreflightFailed(fmt.Errorf("a probe failed: %w", err),
			hint.New("Nothing was created. %s says more; without --probe the cluster is created all the same.",
				hint.Run("check").Flag("probe")))
	}
	return nil
}

// optionsFor returns the options of probes for clusters: the volumes of the first, and the release images of
// all.
func (f *Flags) optionsFor(plans []*creation.Plan) probe.Options {
	o := f.Options()
	first := plans[0].Options
	o.Volumes.EtcdClass = first.EtcdStorageClass
	if len(first.NodePools) > 0 {
		pool := first.NodePools[0]
		o.Volumes.DiskClass, o.Volumes.DiskVolumeMode = pool.RootVolumeStorageClass, pool.RootVolumeVolumeMode
		o.Volumes.DiskAccessModes = pool.RootVolumeAccessModes
	}
	o.OwnAddresses = true
	for _, plan := range plans {
		o.OwnAddresses = o.OwnAddresses && !cmdutil.WantedBy(plan).LoadBalancer
	}
	o.Pulls = pulls(plans)
	return o
}

// pulls returns the release images with the pull secrets of the clusters, without duplicate pairs.
func pulls(plans []*creation.Plan) []probe.Pulled {
	var out []probe.Pulled
	seen := map[string]bool{}
	for _, plan := range plans {
		image := plan.Inputs.ReleaseImage
		if key := image + "\n" + string(plan.Inputs.PullSecret); !seen[key] {
			seen[key] = true
			out = append(out, probe.Pulled{Image: image, Secret: plan.Inputs.PullSecret})
		}
	}
	return out
}
