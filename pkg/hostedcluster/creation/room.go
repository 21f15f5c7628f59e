package creation

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// roomStep counts again after the objects are written: two concurrent creates may both have seen the last free room.
// The older HostedCluster keeps it, and the younger one's create fails.
const roomStep step.ID = "objects/room"

// roomSteps returns that step for a new cluster that the command waits for.
func (p *Plan) roomSteps(after []step.ID) []step.Step {
	if !p.fresh || p.unchecked || p.planning || p.Options.Wait == options.WaitNone {
		return nil
	}
	return []step.Step{{ID: roomStep, Title: "room is left beside older clusters", Group: ObjectsGroup, Needs: after,
		Severity: step.Required,
		Check:    func(ctx context.Context, _ step.Reads) step.Finding { return p.checkRoom(ctx, p.client) }}}
}

// checkRoom checks whether older clusters leave enough room. If something cannot be read, the milestones decide.
func (p *Plan) checkRoom(ctx context.Context, r kube.Reader) step.Finding {
	hc := &hyperv1.HostedCluster{}
	if err := r.Get(ctx, p.key(), hc); err != nil {
		return notCounted(err)
	}
	d := demand{pools: p.placed(), plane: p.plane(), self: hc}
	if err := d.read(); err != nil {
		return notCounted(err)
	}
	count, err := d.count(ctx, r)
	switch {
	case err != nil:
		return notCounted(err)
	case count.Impossible == "" || !count.Full:
		return step.OK("beside what is older")
	}
	return step.Broken("clusters that were created before this one take the last room: %s", count.Impossible).
		On("HostedCluster %s", p.key()).
		WithHint("%s takes it away again; with %s the next create waits until there is room",
			hint.Run("delete cluster", hostedcluster.Argument(hc.Namespace, hc.Name)), hint.Flag("wait-for-capacity"))
}

// notCounted returns a warning that the room is not known. It does not end a create whose objects are written.
func notCounted(err error) step.Finding {
	return step.Finding{State: step.StateWarning, Message: "whether older clusters leave room was not counted: " +
		kube.Explain(err)}
}

// Together returns checks that several new clusters together find room and fit into the quotas, in their order. Each
// cluster has its own check before. There are none for one cluster.
func Together(plans []*Plan) []step.Step {
	if len(plans) < 2 {
		return nil
	}
	return []step.Step{{ID: preflightPlacement, Title: "control planes and worker VMs find places together",
		Group: preflightGroup, Docs: preflightDocs + "#placement", Severity: step.Required,
		Check: plans[0].client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			return checkTogether(ctx, r, plans)
		})}, {ID: preflightQuotas, Title: "quotas leave room for the objects of all",
		Group: preflightGroup, Docs: preflightDocs + "#quotas", Severity: step.Required,
		Check: plans[0].client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			return checkCharges(ctx, r, totalCharges(plans)...)
		})}}
}

func checkTogether(ctx context.Context, r kube.Reader, plans []*Plan) step.Finding {
	var earlier []expectedPod
	for _, p := range plans {
		d := demand{pools: p.placed(), plane: p.plane(), earlier: earlier}
		err := d.read()
		var count placement.Count
		if err == nil {
			count, err = d.count(ctx, r)
		}
		of := "HostedCluster " + p.key().String()
		switch {
		case err != nil:
			return kube.Unknown(err).On("places of worker VMs")
		case count.Impossible != "":
			return step.Missing("%s", count.Impossible).On("%s", of).WithHint("%s", count.Next)
		}
		h, err := readHypervisor(ctx, r)
		if err != nil {
			return kube.Unknown(err).On("places of worker VMs")
		}
		for range d.plane.copies {
			earlier = append(earlier, expectedPod{d.plane.Pod, of})
		}
		for _, pool := range d.pools {
			l, err := placement.LauncherOf(pool.NodePool, pool.ClusterPatch, h)
			if err != nil {
				return kube.Unknown(err).On("NodePool %s", kube.Name(pool.NodePool))
			}
			for range pool.MinVMs {
				earlier = append(earlier, expectedPod{l.Pod, of})
			}
		}
	}
	return step.OK("all %d find places", len(plans)).On("Nodes")
}
