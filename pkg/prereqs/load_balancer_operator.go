package prereqs

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// loadBalancerOperator: MetalLB's operator.
type loadBalancerOperator struct {
	c    *kube.Client
	pins operatorPins
}

func (s loadBalancerOperator) step() step.Step {
	return step.Step{
		ID: LoadBalancerOperator, Title: "MetalLB operator", Needs: gates(),
		Check: s.check, Apply: s.installer().apply, Timeout: operatorTimeout,
	}
}

func (s loadBalancerOperator) installer() installer {
	return newInstaller(s.c, metalLBRow().pinned(s.pins))
}

func (s loadBalancerOperator) check(ctx context.Context) step.Finding {
	return orHealthy(ctx, s.c, s.installer().check(ctx), kube.MetalLB, judgeMetalLB)
}
