package prereqs

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// virtualizationOperator: OpenShift Virtualization's operator, or the community's, from a catalog; one of the two that is there
// already is kept, whichever is asked for.
type virtualizationOperator struct {
	c    *kube.Client
	o    VirtualizationOptions
	pins operatorPins
}

func (s virtualizationOperator) step() step.Step {
	return step.Step{
		ID: VirtualizationOperator, Title: "OpenShift Virtualization operator", Needs: gates(),
		Check: s.check, Apply: s.apply, Timeout: operatorTimeout,
	}
}

func (s virtualizationOperator) installer() installer {
	return newInstaller(s.c, s.o.row(s.pins))
}

func (s virtualizationOperator) check(ctx context.Context) step.Finding {
	if s.o.Manifests != "" {
		switch sub, err := s.installer().subscription(ctx); {
		case err != nil && !kube.IsKindMissing(err):
			return kube.Unread(err).On("Subscriptions")
		case sub == nil:
			return s.checkManifests(ctx)
		}
	}
	f := s.installer().check(ctx)
	if f.State == step.OK {
		return f
	}
	for _, kind := range hyperConvergedKinds() {
		if f = orHealthy(ctx, s.c, f, kind, judgeHyperConverged); f.State == step.OK {
			return f
		}
	}
	if withoutLifecycleManager(f) {
		return f.WithHint("hcctl bootstrap --virtualization-manifests DIR applies the operator's manifests without it")
	}
	sub, err := s.installer().subscription(ctx)
	if err != nil || sub != nil {
		return f
	}
	if catalog := s.checkCatalog(ctx); catalog != nil {
		return *catalog
	}
	return f
}

func (s virtualizationOperator) apply(ctx context.Context) (step.Change, error) {
	if s.o.Manifests != "" {
		return s.applyManifests(ctx)
	}
	sub, err := s.installer().subscription(ctx)
	if err != nil {
		return "", err
	}
	if sub == nil && s.checkCatalog(ctx) != nil {
		return s.c.Apply(ctx, newCatalog(s.o.image()))
	}
	return s.installer().apply(ctx)
}
