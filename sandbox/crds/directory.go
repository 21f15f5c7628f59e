package crds

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// Directory reads the CRDs that `go run ./crds/sync -real DIRECTORY` wrote.
func Directory(directory string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("CRDs in %s: %w", directory, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no CRDs in %s: run `make sandbox-real`, which writes them", directory)
	}
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		raw, err := os.ReadFile(file) // #nosec G304 -- in the directory of the sandbox's programs
		if err != nil {
			return nil, fmt.Errorf("read CRD: %w", err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(raw, crd); err != nil {
			return nil, fmt.Errorf("parse CRD %s: %w", file, err)
		}
		amend(crd)
		out = append(out, crd)
	}
	return out, nil
}

// Replace creates the CRDs, gives those that exist the new schema and labels, and returns once all are Established.
func Replace(ctx context.Context, c client.WithWatch, list []*apiextensionsv1.CustomResourceDefinition) error {
	for _, crd := range list {
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			old := &apiextensionsv1.CustomResourceDefinition{}
			if err := c.Get(ctx, client.ObjectKeyFromObject(crd), old); err != nil {
				return client.IgnoreNotFound(err)
			}
			old.Spec.Versions = crd.Spec.Versions
			for k, v := range crd.Labels {
				if old.Labels == nil {
					old.Labels = map[string]string{}
				}
				old.Labels[k] = v
			}
			return c.Update(ctx, old)
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("replace CRD %s: %w", crd.Name, err)
		}
	}
	return install(ctx, c, list)
}
