package catalog

import (
	"fmt"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Catalog is the content of one CatalogSource.
type Catalog struct {
	// Name of the CatalogSource in openshift-marketplace, such as redhat-operators.
	Name string
	// DisplayName and Publisher are those of the CatalogSource.
	DisplayName, Publisher string
	// Packages are sorted by name.
	Packages []Package
}

// Package is one operator with its channels.
type Package struct {
	Name           string
	DefaultChannel string
	// Channels are sorted by name.
	Channels []Channel
}

// Channel is a chain of versions, oldest first. Each version replaces the previous one.
type Channel struct {
	Name    string
	Bundles []*Bundle
}

// Head returns the newest bundle, which a Subscription without startingCSV installs.
func (c Channel) Head() *Bundle { return c.Bundles[len(c.Bundles)-1] }

// Bundle is one version of an operator.
type Bundle struct {
	Package string
	CSV     *operatorsv1alpha1.ClusterServiceVersion
	CRDs    []*apiextensionsv1.CustomResourceDefinition
	// Others are further objects in the bundle, with their kind.
	Others []any
	// Requires names packages that OLM must install in the same namespace, each at exactly this version.
	Requires map[string]string
}

// Name returns the name of the bundle's ClusterServiceVersion, such as metallb-operator.v4.20.0-202510212154.
func (b *Bundle) Name() string { return b.CSV.Name }

// Package returns a package by name.
func (c Catalog) Package(name string) (Package, error) {
	for _, p := range c.Packages {
		if p.Name == name {
			return p, nil
		}
	}
	return Package{}, fmt.Errorf("catalog %s has no package %q", c.Name, name)
}
