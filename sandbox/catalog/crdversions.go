package catalog

import (
	"encoding/json"
	"strings"

	"github.com/blang/semver/v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
)

// schemaOf returns the schema of the property at path of a CRD's version, or nil.
func schemaOf(v *apiextensionsv1.CustomResourceDefinitionVersion, path ...string) *apiextensionsv1.JSONSchemaProps {
	s := v.Schema.OpenAPIV3Schema
	for _, name := range path {
		next, ok := s.Properties[name]
		if !ok {
			return nil
		}
		s = &next
	}
	return s
}

// setSchema replaces the schema of the property at path.
func setSchema(s *apiextensionsv1.JSONSchemaProps, value apiextensionsv1.JSONSchemaProps, path ...string) {
	if len(path) == 0 {
		*s = value
		return
	}
	next := s.Properties[path[0]]
	setSchema(&next, value, path[1:]...)
	s.Properties[path[0]] = next
}

// adaptCRDs changes the built-in CRDs, which are the newest, into those of the given version of the package.
func adaptCRDs(pkg string, version semver.Version, crds []*apiextensionsv1.CustomResourceDefinition) {
	before := func(x, y uint64) bool { return version.Major < x || version.Major == x && version.Minor < y }
	for _, crd := range crds {
		newest := &crd.Spec.Versions[len(crd.Spec.Versions)-1]
		switch {
		case crd.Name == "ipaddresspools.metallb.io" && before(4, 19):
			// The counters came with MetalLB 0.15. Older versions prune the status that the controller writes.
			setSchema(newest.Schema.OpenAPIV3Schema, apiextensionsv1.JSONSchemaProps{Type: "object"}, "status")
		case crd.Name == "multiclusterengines.multicluster.openshift.io":
			if before(2, 9) {
				spec := schemaOf(newest, "spec").DeepCopy()
				delete(spec.Properties, "localClusterName")
				setSchema(newest.Schema.OpenAPIV3Schema, *spec, "spec")
			}
			if !before(2, 11) { // since 2.11, server-side apply merges the components by name
				list := schemaOf(newest, "spec", "overrides", "components").DeepCopy()
				list.XListType, list.XListMapKeys = ptr.To("map"), []string{"name"}
				setSchema(newest.Schema.OpenAPIV3Schema, *list, "spec", "overrides", "components")
			}
		case crd.Name == "hyperconvergeds.hco.kubevirt.io" && pkg == "community-kubevirt-hyperconverged" && !before(1, 18):
			// Later versions store v1 and still serve v1beta1. The real operator converts with a webhook; here both
			// versions keep what they are given.
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
