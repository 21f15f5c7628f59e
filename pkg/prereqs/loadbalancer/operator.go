package loadbalancer

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// loadBalancerOperator: MetalLB's operator.
type loadBalancerOperator struct {
	c    *kube.Client
	pins olm.Pins
}

func (s loadBalancerOperator) step() step.Step {
	return step.Step{
		ID: Operator, Title: "MetalLB operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.installer().Apply, Timeout: olm.Timeout,
	}
}

func (s loadBalancerOperator) installer() olm.Installer {
	return olm.NewInstaller(s.c, olm.MetalLB().Pinned(s.pins))
}

func (s loadBalancerOperator) check(ctx context.Context) step.Finding {
	return olm.OrHealthy(ctx, s.c, s.installer().Check(ctx), kube.MetalLB, judgeMetalLB)
}
