package catalog

import (
	"encoding/json"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// adaptCRDs gives the CRDs of a package the API versions that only some of its releases have.
func adaptCRDs(pkg, version string, crds []*apiextensionsv1.CustomResourceDefinition) {
	release := profile.MinorNumber(profile.OpenShiftOf(version))
	if !strings.HasSuffix(pkg, "kubevirt-hyperconverged") || release < 22 {
		return
	}
	for _, crd := range crds {
		if crd.Name == "hyperconvergeds.hco.kubevirt.io" {
			// HCO 1.18 serves v1beta1 and v1, and from 1.19 on v1 is stored. The real operator converts with a webhook; here
			// both versions keep what they are given.
			newest := &crd.Spec.Versions[len(crd.Spec.Versions)-1]
			v1 := newest.DeepCopy()
			v1.Name, v1.Storage = "v1", release > 22
			newest.Storage = !v1.Storage
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
