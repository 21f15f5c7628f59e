package prereqs

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const infrastructureName = "Infrastructure cluster"

// clusterPlatform: a cluster of its own, not one that is hosted itself.
type clusterPlatform struct{ c *kube.Client }

func (s clusterPlatform) step() step.Step {
	return step.Step{ID: ClusterPlatform, Title: "platform", Check: s.check}
}

func (s clusterPlatform) check(ctx context.Context) step.Finding {
	infra, err := infrastructure(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On(infrastructureName)
	}
	if infra.Status.ControlPlaneTopology == configv1.ExternalTopologyMode {
		return step.Stuck("controlPlaneTopology is External: this is a hosted cluster, and those cannot host others").On(infrastructureName).
			WithHint("point --kubeconfig or --context at the management cluster")
	}
	return step.Okay("platform %s", platformOf(infra)).On(infrastructureName)
}

// clusterTopology: bare metal with a control plane of several nodes. Anything else may work, without support.
type clusterTopology struct{ c *kube.Client }

func (s clusterTopology) step() step.Step {
	return step.Step{ID: ClusterTopology, Title: "topology", Severity: step.Advisory, Check: s.check}
}

func (s clusterTopology) check(ctx context.Context) step.Finding {
	infra, err := infrastructure(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On(infrastructureName)
	}
	switch {
	case infra.Status.ControlPlaneTopology == configv1.SingleReplicaTopologyMode:
		return step.NotThere("controlPlaneTopology is SingleReplica: a single node is not supported as management cluster").On(infrastructureName)
	case platformOf(infra) != configv1.BareMetalPlatformType && platformOf(infra) != configv1.NonePlatformType:
		return step.NotThere("platform %s: hosting on KubeVirt is supported on bare metal (platforms BareMetal and None)", platformOf(infra)).On(infrastructureName)
	}
	return step.Okay("control plane %s", infra.Status.ControlPlaneTopology).On(infrastructureName)
}

func infrastructure(ctx context.Context, c *kube.Client) (*configv1.Infrastructure, error) {
	infra := &configv1.Infrastructure{}
	if err := c.Get(ctx, types.NamespacedName{Name: "cluster"}, infra); err != nil {
		return nil, err
	}
	return infra, nil
}

func platformOf(infra *configv1.Infrastructure) configv1.PlatformType {
	if infra.Status.PlatformStatus == nil {
		return ""
	}
	return infra.Status.PlatformStatus.Type
}
