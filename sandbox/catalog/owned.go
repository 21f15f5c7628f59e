package catalog

import (
	"cmp"
	"maps"
	"slices"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// owned lists every served version of the CRDs in the form of a ClusterServiceVersion. OLM refuses a bundle whose CRDs
// and owned list differ.
func owned(crds []*apiextensionsv1.CustomResourceDefinition) []operatorsv1alpha1.CRDDescription {
	var out []operatorsv1alpha1.CRDDescription
	for _, crd := range crds {
		for _, v := range crd.Spec.Versions {
			if v.Served {
				out = append(out, operatorsv1alpha1.CRDDescription{
					Name: crd.Name, Version: v.Name, Kind: crd.Spec.Names.Kind, DisplayName: crd.Spec.Names.Kind,
				})
			}
		}
	}
	slices.SortFunc(out, func(a, b operatorsv1alpha1.CRDDescription) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
