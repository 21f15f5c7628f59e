package kube

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// HyperConvergedKinds are the versions of HyperConverged, the one every release so far serves first: HCO 1.18
// (OpenShift 4.22) and later serve both, and 1.19 and later store v1.
func HyperConvergedKinds() []Kind { return []Kind{HyperConverged, HyperConvergedV1} }

// HyperConvergeds lists them in the first version that is served; none where no version is.
func HyperConvergeds(ctx context.Context, r Reader) ([]unstructured.Unstructured, error) {
	for _, kind := range HyperConvergedKinds() {
		list := kind.NewList()
		switch err := r.List(ctx, list); {
		case err == nil:
			return list.Items, nil
		case !IsKindMissing(err):
			return nil, err
		}
	}
	return nil, nil
}
