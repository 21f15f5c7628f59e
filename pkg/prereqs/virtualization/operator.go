package virtualization

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removals.
const (
	Operator                      step.ID = "virtualization/operator"
	removeVirtualizationOperator  step.ID = "uninstall/virtualization-operator"
	removeCommunityVirtualization step.ID = "uninstall/community-virtualization-operator"
	removeCatalog                 step.ID = "uninstall/virtualization-catalog"
)

// virtualizationOperator installs the operator of OpenShift Virtualization, or the community's, from a catalog. If one
// of the two is installed, it stays.
type virtualizationOperator struct {
	o    Options
	pins olm.Pins
}

func (s virtualizationOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Operator, Title: "OpenShift Virtualization operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: olm.Timeout,
		TakesOver: olm.TakesOver, Replaces: olm.Replaces(),
		Rights: operatorRights(),
		Remove: []prereq.Removal{
			removeOperator(olm.Virtualization(), removeVirtualizationOperator),
			removeOperator(olm.CommunityVirtualization(), removeCommunityVirtualization),
			removal.Object{Kind: kube.CatalogSource, Name: virtualizationCatalog}.
				Removal(removeCatalog, "catalog of virtualization", removeCommunityVirtualization),
		},
	}
}

// removeOperator returns the removal of the operator. It waits for the hostpath provisioner too: without the operator,
// the deletion of a HostPathProvisioner never ends.
func removeOperator(op olm.Operator, id step.ID) prereq.Removal {
	out := olm.NewRemoval(op, kube.HyperConverged, kube.HostPathProvisioner).Removal(id, prereq.RemoveHyperConverged)
	out.After = []step.ID{prereq.RemoveHostPath}
	return out
}

// deployments returns the names of the operator's Deployment: in its bundle, and in its manifests (HCO 1.8 to 1.20).
func deployments() []string { return []string{"hco-operator", "hyperconverged-cluster-operator"} }

func (s virtualizationOperator) installer() olm.Installer {
	return olm.NewInstaller(s.o.row(s.pins))
}

func (s virtualizationOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	if s.o.Manifests != "" {
		switch sub, err := s.installer().Subscription(ctx, r); {
		case err != nil && !kube.IsKindMissing(err):
			return kube.Unknown(err).On("Subscriptions")
		case sub == nil:
			return s.checkManifests(ctx, r)
		}
	}
	f := s.installer().Check(ctx, r)
	if f.State == step.StateOK {
		return f
	}
	f = olm.OrHealthy(ctx, r, f, kube.HyperConverged,
		func(all []unstructured.Unstructured) step.Finding { return judgeHyperConverged(all, r.Now()) }, deployments()...)
	if f.State == step.StateOK {
		return f
	}
	if olm.WithoutLifecycleManager(f) {
		return f.WithHint("%s applies the operator's manifests without it",
			hint.Run("bootstrap").Flag("virtualization-manifests", "DIR"))
	}
	sub, err := s.installer().Subscription(ctx, r)
	if err != nil || sub != nil {
		return f
	}
	if catalog := s.checkCatalog(ctx, r); catalog != nil {
		return *catalog
	}
	return f
}

func (s virtualizationOperator) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	if s.o.Manifests != "" {
		return s.applyManifests(ctx, c)
	}
	sub, err := s.installer().Subscription(ctx, c)
	if err != nil {
		return "", err
	}
	if sub == nil && s.checkCatalog(ctx, c) != nil {
		return c.Apply(ctx, newCatalog(s.o.Image()))
	}
	return s.installer().Apply(ctx, c)
}

// operatorRights returns the rights for the operator from a catalog and from manifests.
func operatorRights() prereq.Rights {
	catalog := access.Rule{Verbs: "get create patch", Resources: "catalogsources.operators.coreos.com",
		Names: virtualizationCatalog, Features: []access.Feature{access.Community}, Why: "the catalog of upstream KubeVirt"}
	removed := catalog
	removed.Verbs = "get delete"
	return prereq.Rights{
		Check:  append(olm.CheckRights(), hyperConvergedRights()...),
		Apply:  slices.Concat(olm.ApplyRights(), []access.Rule{catalog}, manifestRights()),
		Remove: append(olm.RemoveRights(olm.Virtualization(), olm.CommunityVirtualization()), removed),
	}
}
