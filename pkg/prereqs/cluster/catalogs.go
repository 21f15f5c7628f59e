package cluster

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	removeCatalogs      step.ID = "uninstall/catalogs"
	removeDigestMirrors step.ID = "uninstall/digest-mirrors"
	removeTagMirrors    step.ID = "uninstall/tag-mirrors"
)

// catalogs creates the CatalogSources that the user requested, and waits until they serve.
type catalogs struct{ o MirrorOptions }

func (s catalogs) prerequisite() prereq.Prerequisite {
	p := prereq.Prerequisite{
		ID: prereq.Catalogs, Title: "catalogs", Needs: prereq.Gates(),
		Check: s.check, Timeout: 15 * time.Minute,
		Rights: prereq.Rights{
			Check: []access.Rule{olm.ListCatalogs(), prereq.ListPods()},
			Apply: []access.Rule{{Verbs: "get create patch", Resources: "catalogsources.operators.coreos.com",
				At: access.In(olm.Marketplace), Features: []access.Feature{access.Mirrors},
				Why: "the catalogs that were asked for"}},
			Remove: []access.Rule{{Verbs: "get delete", Resources: "catalogsources.operators.coreos.com",
				At: access.In(olm.Marketplace), Features: []access.Feature{access.Mirrors}, Why: "the catalogs that hcctl made"}},
		},
		Remove: []prereq.Removal{removal.Object{Kind: kube.CatalogSource}.Removal(removeCatalogs, "catalogs",
			prereq.NoHostedClusters, prereq.RemoveEngine, prereq.RemoveHyperConverged)},
	}
	if s.o.Given() {
		p.Apply, p.Needs = s.apply, append(p.Needs, Mirrors)
	}
	return p
}

// wanted returns the CatalogSources: one for each given image, and those of the directory.
func (s catalogs) wanted() ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(s.o.Catalogs)) {
		u := prereq.NewObject(kube.CatalogSource, olm.Marketplace, name, map[string]any{
			"sourceType": string(olmv1alpha1.SourceTypeGrpc), "image": s.o.Catalogs[name], "displayName": name,
			"publisher": "The image given to hcctl"})
		out = append(out, u)
	}
	found, err := s.o.read()
	if err != nil {
		return nil, err
	}
	return append(out, found.catalogs...), nil
}

func (s catalogs) check(ctx context.Context, r kube.Reader) step.Finding {
	if !s.o.Sources() {
		return step.OK("none was asked for: those of the cluster are used").On("CatalogSources")
	}
	wanted, err := s.wanted()
	if err != nil {
		return step.Broken("%v", err).On("%s", s.o.Resources)
	}
	list := &olmv1alpha1.CatalogSourceList{}
	switch err := r.List(ctx, list, client.InNamespace(olm.Marketplace)); {
	case kube.IsKindMissing(err):
		return step.Broken("Operator Lifecycle Manager is not installed: there are no catalogs").On("CatalogSources")
	case err != nil:
		return kube.Unknown(err).On("CatalogSources in %s", olm.Marketplace)
	}
	return s.judge(ctx, r, wanted, list.Items)
}

// judge returns a finding if one of the wanted catalogs is missing, different, or does not serve.
func (s catalogs) judge(ctx context.Context, r kube.Reader, wanted []*unstructured.Unstructured,
	existing []olmv1alpha1.CatalogSource) step.Finding {
	var names []string
	var waiting *step.Finding
	for _, u := range wanted {
		names = append(names, u.GetName())
		on, image := "CatalogSource "+kube.Name(u), kube.Text(u, "spec", "image")
		i := slices.IndexFunc(existing, func(c olmv1alpha1.CatalogSource) bool { return c.Name == u.GetName() })
		if i < 0 {
			return step.Missing("it does not exist; it is to serve %s", cmp.Or(image, kube.Text(u, "spec", "address"))).
				On("%s", on)
		}
		catalog := existing[i]
		switch {
		case catalog.Spec.Image != image && catalog.Labels[kube.ManagedByLabel] != kube.FieldOwner:
			return step.Broken("somebody else has made it, of image %s; %s was asked for", catalog.Spec.Image, image).
				On("%s", on).WithHint("give the catalog another name, or: oc delete catalogsource %s -n %s", u.GetName(),
				u.GetNamespace())
		case catalog.Spec.Image != image:
			return step.Missing("its image is %s, and %s was asked for", catalog.Spec.Image, image).On("%s", on)
		}
		if waiting == nil {
			waiting = olm.NotServing(ctx, r, &catalog)
		}
	}
	if waiting != nil {
		return *waiting
	}
	return step.OK("%s: %s", plural.Count(len(names), "catalog"), strings.Join(names, ", ")).On("CatalogSources")
}

func (s catalogs) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	wanted, err := s.wanted()
	if err != nil {
		return "", err
	}
	return applyAll(ctx, c, wanted)
}

// applyAll applies the objects.
func applyAll(ctx context.Context, c *kube.Client, wanted []*unstructured.Unstructured) (step.Change, error) {
	change := step.Unchanged
	for _, u := range wanted {
		one, err := c.Apply(ctx, u)
		if err != nil {
			return change, err
		}
		change = step.Join(change, one)
	}
	return change, nil
}
