package virtualization

import (
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Options are a user's settings for OpenShift Virtualization.
type Options struct {
	// Source is "redhat" (the default), "community", or the image of a catalog with the community operator.
	Source string
	// Manifests is a directory of manifests to apply instead, for clusters without Operator Lifecycle Manager.
	Manifests string
	// Spec are settings of the HyperConverged.
	Spec *prereq.Settings
}

// Values of Source. Any other value is the image of a catalog.
const (
	sourceRedHat    = "redhat"
	sourceCommunity = "community"
)

// catalogImage matches a reference with a registry or repository and a tag or digest, which kubelet can pull without a
// default.
var catalogImage = lazyregexp.New(`^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[A-Za-z0-9._-]+|@sha256:[0-9a-f]{64})$`)

// sourceField is the name of Source in hcctl.yaml.
const sourceField = "virtualization.source"

// Validate checks the options. The error names the flag and the value.
func (o Options) Validate() error {
	if o.Manifests != "" && o.Source != "" && o.Source != sourceRedHat {
		return option.Errorf(sourceField, o.Source, "not together with %s: give only one of them",
			hint.Flag("virtualization-manifests"))
	}
	if o.Image() != "" && !catalogImage.MatchString(o.Source) {
		return option.Errorf(sourceField, o.Source, "use %s, %s, or the image of a catalog with its tag or digest, such "+
			"as quay.io/kubevirt/hyperconverged-cluster-index:1.16.0", sourceRedHat, sourceCommunity)
	}
	return o.Spec.Validate()
}

// Image returns the catalog's image, or "".
func (o Options) Image() string {
	switch o.Source {
	case "", sourceRedHat, sourceCommunity:
		return ""
	}
	return o.Source
}

// row returns the operator that Source selects. With a catalog image, only that catalog is used.
func (o Options) row(pins olm.Pins) olm.Operator {
	if o.Source == "" || o.Source == sourceRedHat {
		return olm.Virtualization().Pinned(pins)
	}
	row := olm.CommunityVirtualization().Pinned(pins)
	if o.Image() != "" {
		row.Pin.CatalogSource = virtualizationCatalog
	}
	return row
}

// Planned returns the settings of the HyperConverged.
func (o Options) Planned(pins olm.Pins) prereq.Planned {
	return prereq.Planned{Settings: o.Spec, Kind: kube.HyperConverged, Version: olm.NewInstaller(o.row(pins)).Foreseen}
}
