package prereqs

import (
	"fmt"
	"regexp"
)

// VirtualizationOptions is what a person can say about OpenShift Virtualization.
type VirtualizationOptions struct {
	// Source is "redhat" (the default), "community", or the image of a catalog that has the community's operator.
	Source string
	// Manifests is a folder of manifests to apply instead, for clusters without Operator Lifecycle Manager.
	Manifests string
}

// The words for Source; anything else is the image of a catalog.
const (
	sourceRedHat    = "redhat"
	sourceCommunity = "community"
)

// catalogImage is a reference with a registry or repository and a tag or digest: what kubelet could pull without guessing.
var catalogImage = regexp.MustCompile(`^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+(:[A-Za-z0-9._-]+|@sha256:[0-9a-f]{64})$`)

func (o VirtualizationOptions) validate() error {
	if o.Manifests != "" && o.Source != "" && o.Source != sourceRedHat {
		return fmt.Errorf("--virtualization-source %s and --virtualization-manifests: give one of them", o.Source)
	}
	if o.image() != "" && !catalogImage.MatchString(o.Source) {
		return fmt.Errorf("--virtualization-source %q: use %s, %s, or the image of a catalog with its tag or digest, such as quay.io/kubevirt/hyperconverged-cluster-index:1.16.0", o.Source, sourceRedHat, sourceCommunity)
	}
	return nil
}

// image is the catalog's image, or "".
func (o VirtualizationOptions) image() string {
	switch o.Source {
	case "", sourceRedHat, sourceCommunity:
		return ""
	}
	return o.Source
}

// row is the operator that Source means. One from an image's catalog comes from there only.
func (o VirtualizationOptions) row(pins operatorPins) operator {
	if o.Source == "" || o.Source == sourceRedHat {
		return virtualizationRow().pinned(pins)
	}
	row := communityVirtualizationRow().pinned(pins)
	if o.image() != "" {
		row.pin.CatalogSource = virtualizationCatalog
	}
	return row
}
