package prereq

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/crdschema"
)

// readSchema returns the schema of a kind's spec, or nil if the CRD does not exist.
func readSchema(ctx context.Context, r kube.Reader, kind kube.Kind) (*crdschema.Schema, error) {
	crd := kube.CustomResourceDefinition.New()
	err := r.Get(ctx, types.NamespacedName{Name: kind.Plural + "." + kind.Group}, crd)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil //nolint:nilnil // its operator brings it
	case err != nil:
		return nil, err
	}
	for _, v := range kube.Maps(crd, "spec", "versions") {
		if Text(v, "name") != kind.Version {
			continue
		}
		if spec, ok, _ := unstructured.NestedMap(v, "schema", "openAPIV3Schema", "properties", "spec"); ok {
			return crdschema.New(spec, kind.Kind+" of "+kind.GroupVersion().String()), nil
		}
	}
	return nil, nil //nolint:nilnil // the API server decides
}

// explainPath returns the path of the parent of a field for oc explain.
func explainPath(path string) string {
	words := []string{"spec"}
	for _, word := range strings.Split(path, ".") {
		word, _, _ = strings.Cut(word, "[")
		words = append(words, word)
	}
	return strings.Join(words[:len(words)-1], ".")
}
