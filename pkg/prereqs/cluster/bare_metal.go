package cluster

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// BareMetal is the prerequisite of this file.
const BareMetal step.ID = "cluster/bare-metal"

// bareMetalPlatform checks that the platform is bare metal, where hosting on KubeVirt is supported. Elsewhere it needs
// nested virtualization.
type bareMetalPlatform struct{}

func (s bareMetalPlatform) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: BareMetal, Title: "bare metal", Severity: step.Advisory,
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ReadInfrastructure()}},
	}
}

func (s bareMetalPlatform) check(ctx context.Context, r kube.Reader) step.Finding {
	infra, err := prereq.Infrastructure(ctx, r)
	if err != nil {
		return kube.Unknown(err).On(prereq.InfrastructureObject)
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
