package catalog

import (
	"encoding/json"
	"strings"

	"github.com/blang/semver/v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// adaptCRDs gives the CRDs of a package the API versions that only some of its releases have.
func adaptCRDs(pkg string, version semver.Version, crds []*apiextensionsv1.CustomResourceDefinition) {
	if pkg != "community-kubevirt-hyperconverged" || version.LT(semver.Version{Major: 1, Minor: 18}) {
		return
	}
	for _, crd := range crds {
		if crd.Name == "hyperconvergeds.hco.kubevirt.io" {
			// Later versions store v1 and still serve v1beta1. The real operator converts with a webhook; here both
			// versions keep what they are given.
			newest := &crd.Spec.Versions[len(crd.Spec.Versions)-1]
			v1 := newest.DeepCopy()
			v1.Name = "v1"
			newest.Storage = false
			crd.Spec.Versions = append(crd.Spec.Versions, *v1)
		}
	}
}

// exampleOf returns the initialization resource of a bundle, in the stored version of its kind; "" for a kind that this
// version of the bundle does not own.
func exampleOf(example string, crds []*apiextensionsv1.CustomResourceDefinition) string {
	var o struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.Unmarshal([]byte(example), &o); err != nil {
		return example
	}
	for _, crd := range crds {
		for _, v := range crd.Spec.Versions {
			if crd.Spec.Names.Kind == o.Kind && v.Storage {
				return strings.Replace(example, o.APIVersion, crd.Spec.Group+"/"+v.Name, 1)
			}
		}
	}
	return ""
}
