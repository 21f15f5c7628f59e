package catalog

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// CRDs returns a set of CRDs by name. Package crds has an implementation.
type CRDs func(set, release string) ([]*apiextensionsv1.CustomResourceDefinition, error)

// For builds the catalogs of a profile, sorted by name, with the CRDs that crds returns.
func For(p profile.Profile, crds CRDs) ([]Catalog, error) {
	table, err := offers(p)
	if err != nil {
		return nil, err
	}
	byName := map[string]*Catalog{
		RedHat:    {Name: RedHat, DisplayName: "Red Hat Operators", Publisher: "Red Hat"},
		Community: {Name: Community, DisplayName: "Community Operators", Publisher: "Red Hat"},
	}
	if p.Mirror != nil { // it replaces the default ones; oc-mirror sets no display name
		byName = map[string]*Catalog{RedHat: {Name: p.Mirror.Catalog}}
	}
	for _, o := range table {
		c := byName[o.catalog]
		if c == nil || p.Mirror != nil && slices.Contains(p.Mirror.Lacks, o.pkg) {
			continue
		}
		pkg, err := o.build(crds)
		if err != nil {
			return nil, fmt.Errorf("package %s in catalog %s: %w", o.pkg, o.catalog, err)
		}
		c.Packages = append(c.Packages, pkg)
	}
	out := make([]Catalog, 0, len(byName))
	for _, c := range byName {
		sort.Slice(c.Packages, func(i, j int) bool { return c.Packages[i].Name < c.Packages[j].Name })
		out = append(out, *c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// build makes the package of one row of the table. A version in several channels is one bundle.
func (o offer) build(crds CRDs) (Package, error) {
	template, err := loadTemplate(o.operator)
	if err != nil {
		return Package{}, err
	}
	if o.suggestedNamespace != "" {
		template.SuggestedNamespace = o.suggestedNamespace
	}
	template.CRDs = without(template.CRDs, o.without)

	pkg := Package{Name: o.pkg, DefaultChannel: o.defaultChannel}
	bundles := map[string]*Bundle{}
	for _, c := range o.channels {
		ch := Channel{Name: c.name}
		previous := ""
		for _, v := range c.versions {
			b, ok := bundles[v]
			if !ok {
				if b, err = template.bundle(o.pkg, v, previous, crds); err != nil {
					return Package{}, fmt.Errorf("version %s: %w", v, err)
				}
				bundles[v] = b
			}
			ch.Bundles = append(ch.Bundles, b)
			previous = b.Name()
		}
		pkg.Channels = append(pkg.Channels, ch)
	}
	sort.Slice(pkg.Channels, func(i, j int) bool { return pkg.Channels[i].Name < pkg.Channels[j].Name })
	return pkg, nil
}

func without(all, drop []string) []string {
	var kept []string
	for _, s := range all {
		if !strings.Contains(" "+strings.Join(drop, " ")+" ", " "+s+" ") {
			kept = append(kept, s)
		}
	}
	return kept
}
