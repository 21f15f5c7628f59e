package cluster

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// clusterTopology checks that the control plane has several nodes. Red Hat does not support a single node as management
// cluster (multicluster engine 2.4 and later), and the HyperShift operator needs three workers, so nothing is written
// on one.
type clusterTopology struct{}

func (s clusterTopology) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: prereq.ClusterTopology, Title: "topology",
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ReadInfrastructure()}},
	}
}

func (s clusterTopology) check(ctx context.Context, r kube.Reader) step.Finding {
	infra, err := prereq.Infrastructure(ctx, r)
	if err != nil {
		return kube.Unknown(err).On(prereq.InfrastructureObject)
	}
	return judgeTopology(infra).On(prereq.InfrastructureObject)
}

func judgeTopology(infra *configv1.Infrastructure) step.Finding {
	if infra.Status.ControlPlaneTopology == configv1.SingleReplicaTopologyMode {
		return step.Broken("controlPlaneTopology is SingleReplica: single-node OpenShift is unsupported as management "+
			"cluster, which needs 3 workers").
			WithHint("use a cluster of three nodes or more; to continue without support: %s",
				hint.Run("bootstrap").Flag("skip", prereq.ClusterTopology))
	}
	return step.OK("control plane %s", infra.Status.ControlPlaneTopology)
}
