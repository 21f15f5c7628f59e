package olm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
)

// Pin pins one operator. The zero value leaves everything to discovery.
type Pin struct {
	// StartingCSV is the exact version to install, such as "multicluster-engine.v2.10.0". It makes the Subscription's
	// approval Manual: hcctl approves that version and nothing else.
	StartingCSV string
	// Channel overrides the channel that fits.
	Channel string
	// CatalogSource overrides the catalog, by name in openshift-marketplace.
	CatalogSource string
}

// Pins are Pin by OLM package.
type Pins map[string]Pin

// Validate returns an error that names the package and the field that is wrong.
func (p Pins) Validate() error {
	known := Operators()
	packages := make([]string, 0, len(p))
	for pkg := range p {
		packages = append(packages, pkg)
	}
	slices.Sort(packages)
	for _, pkg := range packages {
		i := slices.IndexFunc(known, func(op Operator) bool { return op.Package == pkg })
		if i < 0 {
			names := make([]string, 0, len(known))
			for _, op := range known {
				names = append(names, op.Package)
			}
			return fmt.Errorf("operators.%s: hcctl does not install this package; it installs %s", pkg, prereq.Listed(names))
		}
		if err := known[i].validatePin(p[pkg]); err != nil {
			return fmt.Errorf("operators.%s.%w", pkg, err)
		}
	}
	return nil
}

// validatePin returns an error that begins with the name of the field that is wrong.
func (op Operator) validatePin(pin Pin) error {
	if pin.StartingCSV != "" {
		version, ok := strings.CutPrefix(pin.StartingCSV, op.CSVPrefix)
		if _, err := semver.StrictNewVersion(version); !ok || err != nil {
			return fmt.Errorf("startingCSV %q: the versions of this operator are named %sX.Y.Z", pin.StartingCSV, op.CSVPrefix)
		}
	}
	if pin.Channel != "" && strings.ContainsFunc(pin.Channel,
		func(r rune) bool { return r <= ' ' || r == '/' || r == ',' }) {
		return fmt.Errorf("channel %q: a channel is one word, such as stable", pin.Channel)
	}
	if pin.CatalogSource != "" {
		if problems := validation.IsDNS1123Subdomain(pin.CatalogSource); len(problems) > 0 {
			return fmt.Errorf("catalogSource %q: it is the name of a CatalogSource in %s, without a namespace: %s",
				pin.CatalogSource, Marketplace, problems[0])
		}
	}
	return nil
}
