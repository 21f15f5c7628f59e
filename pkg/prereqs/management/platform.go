package management

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// clusterPlatform: a cluster of its own, not one that is hosted itself.
type clusterPlatform struct{ c *kube.Client }

func (s clusterPlatform) step() step.Step {
	return step.Step{ID: prereq.ClusterPlatform, Title: "management cluster", Check: s.check}
}

func (s clusterPlatform) check(ctx context.Context) step.Finding {
	infra, err := prereq.Infrastructure(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On(prereq.InfrastructureObject)
	}
	if infra.Status.ControlPlaneTopology == configv1.ExternalTopologyMode {
		return step.Broken("controlPlaneTopology is External: this is a hosted cluster, and those cannot host others").
			On(prereq.InfrastructureObject).
			WithHint("point --kubeconfig or --context at the management cluster")
	}
	return step.OK("it has a control plane of its own").On(prereq.InfrastructureObject)
}

// clusterTopology: a control plane of several nodes. A single node is not supported as management cluster (Red Hat's
// documents of multicluster engine 2.4 and later), and the HyperShift operator wants three workers: nothing is written
// there.
type clusterTopology struct{ c *kube.Client }

func (s clusterTopology) step() step.Step {
	return step.Step{ID: prereq.ClusterTopology, Title: "topology", Check: s.check}
}

func (s clusterTopology) check(ctx context.Context) step.Finding {
	infra, err := prereq.Infrastructure(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On(prereq.InfrastructureObject)
	}
	return judgeTopology(infra).On(prereq.InfrastructureObject)
}

func judgeTopology(infra *configv1.Infrastructure) step.Finding {
	if infra.Status.ControlPlaneTopology == configv1.SingleReplicaTopologyMode {
		return step.Broken("controlPlaneTopology is SingleReplica: single-node OpenShift is unsupported as management "+
			"cluster, which needs 3 workers").
			WithHint("use a cluster of three nodes or more; to go on without support: hcctl bootstrap --skip %s",
				prereq.ClusterTopology)
	}
	return step.OK("control plane %s", infra.Status.ControlPlaneTopology)
}

// bareMetalPlatform: hosting on KubeVirt is supported on bare metal; elsewhere it may work where machines nest
// virtualization.
type bareMetalPlatform struct{ c *kube.Client }

func (s bareMetalPlatform) step() step.Step {
	return step.Step{ID: BareMetal, Title: "bare metal", Severity: step.Advisory, Check: s.check}
}

func (s bareMetalPlatform) check(ctx context.Context) step.Finding {
	infra, err := prereq.Infrastructure(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On(prereq.InfrastructureObject)
	}
	return judgeBareMetal(infra).On(prereq.InfrastructureObject)
}

func judgeBareMetal(infra *configv1.Infrastructure) step.Finding {
	switch platform := prereq.PlatformOf(infra); platform {
	case configv1.BareMetalPlatformType, configv1.NonePlatformType:
		return step.OK("platform %s", platform)
	case "":
		return step.Unknown("status.platformStatus.type is not reported")
	default:
		return step.Missing("platform %s: hosting on KubeVirt is supported on bare metal (platforms BareMetal and None)",
			platform).
			WithHint("it may work where the workers nest virtualization: see virtualization/kvm once it is installed")
	}
}
