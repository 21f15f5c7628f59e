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

// clusterPlatform checks that the management cluster is not a hosted cluster itself.
type clusterPlatform struct{}

func (s clusterPlatform) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: prereq.ClusterPlatform, Title: "management cluster",
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ReadInfrastructure()}},
	}
}

func (s clusterPlatform) check(ctx context.Context, r kube.Reader) step.Finding {
	infra, err := prereq.Infrastructure(ctx, r)
	if err != nil {
		return kube.Unknown(err).On(prereq.InfrastructureObject)
	}
	if infra.Status.ControlPlaneTopology == configv1.ExternalTopologyMode {
		return step.Broken("controlPlaneTopology is External: this is a hosted cluster, and those cannot host others").
			On(prereq.InfrastructureObject).
			WithHint("point %s or %s at the management cluster", hint.Flag("kubeconfig"), hint.Flag("context"))
	}
	return step.OK("it has a control plane of its own").On(prereq.InfrastructureObject)
}
