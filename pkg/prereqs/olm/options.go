package olm

import (
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Pin pins one operator. The zero value leaves all choices to discovery.
type Pin struct {
	// StartingCSV is the exact version to install, such as "multicluster-engine.v2.10.0". It makes the Subscription's
	// approval Manual: hcctl approves that version and nothing else.
	StartingCSV string
	// Channel overrides the channel that fits.
	Channel string
	// CatalogSource overrides the catalog. It is a name in namespace openshift-marketplace.
	CatalogSource string
	// Approval is ApprovalAutomatic or ApprovalManual; empty means automatic, or manual with StartingCSV. It applies to
	// Subscriptions that hcctl makes: existing ones stay as they are.
	Approval string
	// Step is the step that installs the operator. TakeOver means that hcctl approves the InstallPlan of a foreign
	// Subscription.
	Step     step.ID
	TakeOver bool
}

// Values of Approval.
const (
	ApprovalAutomatic = "automatic"
	ApprovalManual    = "manual"
)

// Approvals lists the values of Approval, the default first.
func Approvals() []string { return []string{ApprovalAutomatic, ApprovalManual} }

// Pins maps OLM packages to pins.
type Pins map[string]Pin

// Validate checks all pins. The error names the package and the field.
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
			return option.Errorf("operators."+pkg, nil, "hcctl does not install this package; it installs %s",
				prereq.Listed(names))
		}
		if err := known[i].validatePin("operators."+pkg, p[pkg]); err != nil {
			return err
		}
	}
	return nil
}

// validatePin checks the fields of a pin. path is the prefix of field names in errors.
func (op Operator) validatePin(path string, pin Pin) error {
	if pin.StartingCSV != "" {
		version, ok := strings.CutPrefix(pin.StartingCSV, op.CSVPrefix)
		if _, err := semver.StrictNewVersion(version); !ok || err != nil {
			return option.Errorf(path+".startingCSV", pin.StartingCSV, "the versions of this operator are named %sX.Y.Z",
				op.CSVPrefix)
		}
	}
	if pin.Channel != "" && strings.ContainsFunc(pin.Channel,
		func(r rune) bool { return r <= ' ' || r == '/' || r == ',' }) {
		return option.Errorf(path+".channel", pin.Channel, "a channel is one word, such as stable")
	}
	if err := prereq.OneOf(path+".approval", pin.Approval, Approvals()); err != nil {
		return err
	}
	if pin.Approval == ApprovalAutomatic && pin.StartingCSV != "" {
		return option.Errorf(path+".approval", pin.Approval, "an exact version needs manual: OLM would replace it by itself")
	}
	if pin.CatalogSource != "" {
		if problems := validation.IsDNS1123Subdomain(pin.CatalogSource); len(problems) > 0 {
			return option.Errorf(path+".catalogSource", pin.CatalogSource,
				"it is the name of a CatalogSource in %s, without a namespace: %s", Marketplace, problems[0])
		}
	}
	return nil
}
