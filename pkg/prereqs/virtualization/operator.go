package virtualization

import (
	"context"
	"slices"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	Operator                      step.ID = "virtualization/operator"
	removeVirtualizationOperator  step.ID = "uninstall/virtualization-operator"
	removeCommunityVirtualization step.ID = "uninstall/community-virtualization-operator"
	removeCatalog                 step.ID = "uninstall/virtualization-catalog"
)

// virtualizationOperator: OpenShift Virtualization's operator, or the community's, from a catalog; one of the two that
// is there already is kept, whichever is asked for.
type virtualizationOperator struct {
	c    *kube.Client
	o    Options
	pins olm.Pins
}

func (s virtualizationOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Operator, Title: "OpenShift Virtualization operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: olm.Timeout,
		Rights: operatorRights(),
		Remove: []step.Step{
			olm.NewRemoval(s.c, olm.Virtualization(), kube.HyperConverged).
				Step(removeVirtualizationOperator, prereq.RemoveHyperConverged),
			olm.NewRemoval(s.c, olm.CommunityVirtualization(), kube.HyperConverged).
				Step(removeCommunityVirtualization, prereq.RemoveHyperConverged),
			removal.Object{Client: s.c, Kind: catalogSources(), Name: virtualizationCatalog}.
				Step(removeCatalog, "catalog of virtualization", removeCommunityVirtualization),
		},
	}
}

func (s virtualizationOperator) installer() olm.Installer {
	return olm.NewInstaller(s.c, s.o.row(s.pins))
}

func (s virtualizationOperator) check(ctx context.Context) step.Finding {
	if s.o.Manifests != "" {
		switch sub, err := s.installer().Subscription(ctx); {
		case err != nil && !kube.IsKindMissing(err):
			return kube.Unknown(err).On("Subscriptions")
		case sub == nil:
			return s.checkManifests(ctx)
		}
	}
	f := s.installer().Check(ctx)
	if f.State == step.StateOK {
		return f
	}
	for _, kind := range hyperConvergedKinds() {
		if f = olm.OrHealthy(ctx, s.c, f, kind, judgeHyperConverged); f.State == step.StateOK {
			return f
		}
	}
	if olm.WithoutLifecycleManager(f) {
		return f.WithHint("hcctl bootstrap --virtualization-manifests DIR applies the operator's manifests without it")
	}
	sub, err := s.installer().Subscription(ctx)
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
	sub, err := s.installer().Subscription(ctx)
	if err != nil {
		return "", err
	}
	if sub == nil && s.checkCatalog(ctx) != nil {
		return s.c.Apply(ctx, newCatalog(s.o.Image()))
	}
	return s.installer().Apply(ctx)
}

// operatorRights are those of the operator from a catalog and of the operator by manifests.
func operatorRights() prereq.Rights {
	catalog := rule.Rule{Verbs: "get create patch", Resources: "catalogsources.operators.coreos.com",
		Names: virtualizationCatalog, Features: []rule.Feature{rule.Community}, Why: "the catalog of upstream KubeVirt"}
	removed := catalog
	removed.Verbs = "get delete"
	return prereq.Rights{
		Check:  append(olm.CheckRights(), listHyperConverged()),
		Apply:  slices.Concat(olm.ApplyRights(), []rule.Rule{catalog}, manifestRights()),
		Remove: append(olm.RemoveRights(olm.Virtualization(), olm.CommunityVirtualization()), removed),
	}
}
