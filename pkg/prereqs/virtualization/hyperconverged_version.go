package virtualization

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// storedHyperConverged is the version to write: the one the CRD stores, if hcctl knows it, so that nothing is
// converted.
func storedHyperConverged(ctx context.Context, r kube.Reader) (kube.Kind, error) {
	crd := kube.CustomResourceDefinition.New()
	name := kube.HyperConverged.Plural + "." + kube.HyperConverged.Group
	if err := r.Get(ctx, types.NamespacedName{Name: name}, crd); err != nil && !apierrors.IsNotFound(err) {
		return kube.Kind{}, err
	}
	return versionToWrite(crd), nil
}

func versionToWrite(crd *unstructured.Unstructured) kube.Kind {
	served := map[string]bool{}
	for _, v := range kube.Maps(crd, "spec", "versions") {
		on, _ := v["served"].(bool)
		stored, _ := v["storage"].(bool)
		served[prereq.Text(v, "name")] = on
		for _, kind := range kube.HyperConvergedKinds() {
			if on && stored && kind.Version == prereq.Text(v, "name") {
				return kind
			}
		}
	}
	for _, kind := range kube.HyperConvergedKinds() {
		if served[kind.Version] {
			return kind
		}
	}
	return kube.HyperConverged
}

// hyperConvergedVersion is the version its operator says it runs, or "".
func hyperConvergedVersion(hc *unstructured.Unstructured) string {
	for _, v := range kube.Maps(hc, "status", "versions") {
		if prereq.Text(v, "name") == "operator" {
			return prereq.Text(v, "version")
		}
	}
	return ""
}

// listHyperConverged is the right to list HyperConvergeds.
func listHyperConverged() access.Rule {
	return access.Rule{Verbs: "list", Resources: "hyperconvergeds.hco.kubevirt.io", Why: "virtualization"}
}
