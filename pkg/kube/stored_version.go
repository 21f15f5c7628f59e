package kube

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Versions returns the versions of a kind that hcctl knows, the oldest first. HyperShift stores Cluster API's v1beta2
// since v0.1.78 (contracts/versions.yaml).
func (k Kind) Versions() []Kind {
	switch k.GroupKind() {
	case HyperConverged.GroupKind():
		return []Kind{HyperConverged, HyperConvergedV1}
	case CAPICluster.GroupKind(), Machine.GroupKind(), MachineSet.GroupKind(), MachineDeployment.GroupKind():
		older, newer := k, k
		older.Version, newer.Version = Machine.Version, "v1beta2"
		return []Kind{older, newer}
	}
	return []Kind{k}
}

// Stored returns the kind in the storage version of its CRD. Other versions need the operator's conversion webhook,
// which does not answer while the operator is down. It reads nothing for a kind with one version, and returns k if the
// CRD is missing, has no known version, or cannot be read.
func Stored(ctx context.Context, r Reader, k Kind) (Kind, error) {
	if len(k.Versions()) == 1 {
		return k, nil
	}
	crd := CustomResourceDefinition.New()
	err := r.Get(ctx, types.NamespacedName{Name: k.Plural + "." + k.Group}, crd)
	if err != nil && !apierrors.IsNotFound(err) && !IsKindMissing(err) {
		return k, err
	}
	return storedIn(crd, k), nil
}

// storedIn returns the storage version of the CRD if it is known, else the first known version that it serves.
func storedIn(crd *unstructured.Unstructured, k Kind) Kind {
	served, stored := map[string]bool{}, ""
	for _, v := range Maps(crd, "spec", "versions") {
		if on, _ := v["served"].(bool); on {
			served[str(v, "name")] = true
			if is, _ := v["storage"].(bool); is {
				stored = str(v, "name")
			}
		}
	}
	for _, known := range k.Versions() {
		if known.Version == stored {
			return known
		}
	}
	for _, known := range k.Versions() {
		if served[known.Version] {
			return known
		}
	}
	return k
}

// ListStored lists the objects of a kind in the storage version, else in the first version that is served. It returns
// none if the kind is not served.
func ListStored(ctx context.Context, r Reader, k Kind) ([]unstructured.Unstructured, error) {
	stored, err := Stored(ctx, r, k)
	if err != nil && !IsNotPermitted(err) {
		return nil, err
	}
	for _, kind := range append([]Kind{stored}, k.Versions()...) {
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
