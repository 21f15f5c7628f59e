package prereqs

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// multiclusterOperator: the operator of multicluster engine, which brings HyperShift. Advanced Cluster Management installs
// its own; then none is added.
type multiclusterOperator struct {
	c    *kube.Client
	pins operatorPins
}

func (s multiclusterOperator) step() step.Step {
	return step.Step{
		ID: MulticlusterOperator, Title: "multicluster engine operator", Needs: gates(),
		Check: s.check, Apply: s.installer().apply, Timeout: operatorTimeout,
	}
}

func (s multiclusterOperator) installer() installer {
	return installer{s.c, multiclusterRow().pinned(s.pins)}
}

func (s multiclusterOperator) check(ctx context.Context) step.Finding {
	f := orHealthy(ctx, s.c, s.installer().check(ctx), kube.MultiClusterEngine, judgeEngines)
	if f.State != step.Missing && f.State != step.Broken {
		return f
	}
	acm, err := hub(ctx, s.c)
	switch {
	case err != nil:
		return kube.Unread(err).On("MultiClusterHubs")
	case acm != nil && f.State == step.Missing:
		return step.Waiting("Advanced Cluster Management (phase %s) installs multicluster engine itself", kube.Text(acm, "status", "phase")).On("MultiClusterHub %s", kube.Name(acm))
	}
	return f
}
