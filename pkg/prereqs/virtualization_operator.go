package prereqs

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// virtualizationOperator: OpenShift Virtualization, or the community's build of it where that is subscribed to.
type virtualizationOperator struct {
	c *kube.Client
	o Options
}

func (s virtualizationOperator) step() step.Step {
	return step.Step{
		ID: VirtualizationOperator, Title: "OpenShift Virtualization operator", Needs: gates(),
		Check: s.check, Apply: s.installer().apply, Timeout: operatorTimeout,
	}
}

func (s virtualizationOperator) installer() installer {
	return installer{s.c, virtualizationRow().pinned(s.o.Operators)}
}

func (s virtualizationOperator) check(ctx context.Context) step.Finding {
	return orHealthy(ctx, s.c, s.installer().check(ctx), kube.HyperConverged, judgeHyperConverged)
}
