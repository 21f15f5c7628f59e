package crds

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"strings"

	"github.com/blang/semver/v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// setSchemas gives a CRD the fields that it has in a release, if they are known: the tables of directory contracts have
// them. API versions that the release lacks go. Of a release that is not in the tables, the nearest is taken.
func setSchemas(crd *apiextensionsv1.CustomResourceDefinition, release string) error {
	schemas, err := schemasOf(crd.Name, release)
	if err != nil {
		return fmt.Errorf("CRD %s, release %s: %w", crd.Name, release, err)
	}
	var kept []apiextensionsv1.CustomResourceDefinitionVersion
	stored := false
	for _, v := range crd.Spec.Versions {
		schema := schemas[v.Name]
		if schema == nil {
			schema = schemas[""]
		}
		if schemas != nil && schema == nil {
			continue
		}
		if schema != nil {
			v.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema.DeepCopy()}
		}
		if v.Schema == nil {
			return fmt.Errorf("CRD %s: version %s has no schema", crd.Name, v.Name)
		}
		kept, stored = append(kept, v), stored || v.Storage
	}
	if !stored {
		return fmt.Errorf("CRD %s, release %s: the version that is stored has no fields", crd.Name, release)
	}
	crd.Spec.Versions = kept
	return nil
}

// schemasOf returns the schemas of a CRD's API versions by name, "" for the only one; nil if the tables lack the kind.
func schemasOf(name, release string) (map[string]*apiextensionsv1.JSONSchemaProps, error) {
	dir := path.Join("generated", "schemas", name)
	entries, err := files.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	wanted, err := semver.ParseTolerant(release)
	if err != nil {
		return nil, err
	}
	var best, first string
	var of, firstOf semver.Version
	for _, e := range entries {
		since, err := semver.ParseTolerant(strings.TrimSuffix(e.Name(), ".json"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(dir, e.Name()), err)
		}
		if first == "" || since.LT(firstOf) {
			first, firstOf = e.Name(), since
		}
		if (since.Major < wanted.Major || since.Major == wanted.Major && since.Minor <= wanted.Minor) &&
			(best == "" || since.GT(of)) {
			best, of = e.Name(), since
		}
	}
	if best == "" {
		best = first
	}
	raw, err := files.ReadFile(path.Join(dir, best))
	if err != nil {
		return nil, err
	}
	var schemas map[string]*apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(raw, &schemas); err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join(dir, best), err)
	}
	return schemas, nil
}

// sameVersions reports whether the API versions that both CRDs have also have the same fields and columns in both.
func sameVersions(a, b *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	first, err := plainVersions(a)
	if err != nil {
		return false, err
	}
	second, err := plainVersions(b)
	if err != nil {
		return false, err
	}
	for version, schema := range first {
		if other, ok := second[version]; ok && !reflect.DeepEqual(schema, other) {
			return false, nil
		}
	}
	return true, nil
}

// takeVersions gives the API versions of crd the fields and columns that they have in from.
func takeVersions(crd, from *apiextensionsv1.CustomResourceDefinition) {
	for i := range crd.Spec.Versions {
		for _, v := range from.Spec.Versions {
			if v.Name == crd.Spec.Versions[i].Name {
				crd.Spec.Versions[i].Schema = v.Schema
				crd.Spec.Versions[i].AdditionalPrinterColumns = v.AdditionalPrinterColumns
			}
		}
	}
}

// plainVersions returns schemas and columns as JSON values: a server may write a default in another form.
func plainVersions(crd *apiextensionsv1.CustomResourceDefinition) (map[string]any, error) {
	out := map[string]any{}
	for _, v := range crd.Spec.Versions {
		raw, err := json.Marshal([]any{v.Schema, v.AdditionalPrinterColumns})
		if err != nil {
			return nil, fmt.Errorf("CRD %s: %w", crd.Name, err)
		}
		var plain any
		if err := json.Unmarshal(raw, &plain); err != nil {
			return nil, fmt.Errorf("CRD %s: %w", crd.Name, err)
		}
		out[v.Name] = plain
	}
	return out, nil
}
