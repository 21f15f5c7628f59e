package virtualization

import (
	"context"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// virtualizationCatalog names the CatalogSource that hcctl makes for the user's image.
const virtualizationCatalog = "hcctl-kubevirt-hyperconverged"

// checkCatalog returns a finding if the CatalogSource of the image is missing or different, or nil.
func (s virtualizationOperator) checkCatalog(ctx context.Context, r kube.Reader) *step.Finding {
	image := s.o.Image()
	if image == "" {
		return nil
	}
	catalog := &olmv1alpha1.CatalogSource{}
	var f step.Finding
	switch err := r.Get(ctx, types.NamespacedName{Namespace: olm.Marketplace, Name: virtualizationCatalog}, catalog); {
	case kube.IsKindMissing(err):
		return nil // no Lifecycle Manager: the installer says so
	case apierrors.IsNotFound(err):
		f = step.Missing("the catalog of image %s does not exist", image)
	case err != nil:
		f = kube.Unknown(err)
	case catalog.Spec.Image != image:
		f = step.Missing("its image is %s, and %s is wanted", catalog.Spec.Image, image)
	default:
		return nil
	}
	f = f.On("CatalogSource %s/%s", olm.Marketplace, virtualizationCatalog).WithHint("%s writes it",
		hint.Run("bootstrap"))
	return &f
}

// newCatalog returns a CatalogSource that serves the packages of an index image.
func newCatalog(image string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"sourceType": string(olmv1alpha1.SourceTypeGrpc), "image": image, "displayName": "KubeVirt HyperConverged",
		"publisher": "The image given to hcctl",
	}}}
	u.SetGroupVersionKind(olmv1alpha1.SchemeGroupVersion.WithKind(olmv1alpha1.CatalogSourceKind))
	u.SetNamespace(olm.Marketplace)
	u.SetName(virtualizationCatalog)
	return u
}
