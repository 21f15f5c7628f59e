package prereqs

import (
	"context"
	"errors"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// checkManifests judges the operator that a folder of manifests brings, on a cluster without Operator Lifecycle Manager.
func (s virtualizationOperator) checkManifests(ctx context.Context) step.Finding {
	dir := s.o.Manifests
	all, err := hyperConvergedManifests(dir)
	if err != nil {
		return step.Stuck("%v", err).On("Manifests %s", dir).WithHint("correct the folder given with --virtualization-manifests; nothing of it has been applied by this run")
	}
	if f := all.operator().check(ctx, s.c); f != nil {
		if f.State == step.Missing && f.Hint == "" {
			*f = f.WithHint("hcctl bootstrap --virtualization-manifests %s applies it", dir)
		}
		return *f
	}
	return step.Okay("%d objects of the manifests are there and up", len(all.operator())).On("Manifests %s", dir)
}

func (s virtualizationOperator) applyManifests(ctx context.Context) (step.Change, error) {
	all, err := hyperConvergedManifests(s.o.Manifests)
	if err != nil {
		return "", err
	}
	return all.operator().apply(ctx, s.c)
}

// checkManifests holds a HyperConverged that is well against the folder's custom resources, f being how it is; one that came by
// a Subscription is left as it is.
func (s hyperConverged) checkManifests(ctx context.Context, f step.Finding) step.Finding {
	sub, err := findSubscription(ctx, s.c, virtualizationRow())
	switch {
	case err != nil && !kube.IsKindMissing(err):
		return kube.Unread(err).On("Subscriptions")
	case sub != nil:
		return f
	}
	all, err := hyperConvergedManifests(s.o.Manifests)
	if err != nil {
		return step.Stuck("%v", err).On("Manifests %s", s.o.Manifests)
	}
	if lacking := all.custom().check(ctx, s.c); lacking != nil {
		return *lacking
	}
	return f
}

// applyManifests applies the custom resources of the folder, or the plainest HyperConverged where it has none.
func (s hyperConverged) applyManifests(ctx context.Context) (step.Change, error) {
	all, err := hyperConvergedManifests(s.o.Manifests)
	if err != nil {
		return "", err
	}
	change, err := all.custom().apply(ctx, s.c)
	if err != nil || all.find(kube.HyperConverged.Group, kube.HyperConverged.Kind) != nil {
		return change, err
	}
	operator := all.find("apps", "Deployment")
	if operator == nil {
		return change, errors.New("the manifests have neither a HyperConverged nor the Deployment of its operator")
	}
	kind, err := storedHyperConverged(ctx, s.c)
	if err != nil {
		return change, err
	}
	one, err := s.c.Apply(ctx, object(kind, operator.GetNamespace(), hyperConvergedName, map[string]any{}))
	return step.Join(change, one), err
}
