package prereqs

import (
	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
)

// Operator is one that hcctl installs, and how its versions go with those of OpenShift.
type Operator struct{ row olm.Operator }

// Operators are those whose versions go with OpenShift's. The engine comes first: it has to fit before an update.
func Operators() []Operator {
	return []Operator{{olm.MulticlusterEngine()}, {olm.LocalStorage()}, {olm.DataFoundation()}, {olm.LVMStorage()},
		{olm.MetalLB()}, {olm.Virtualization()}}
}

// Title is the product's name.
func (o Operator) Title() string { return o.row.Title }

// Package is the OLM package.
func (o Operator) Package() string { return o.row.Package }

// CSVPrefix begins the names of its ClusterServiceVersions.
func (o Operator) CSVPrefix() string { return o.row.CSVPrefix }

// Before tells whether it has to fit the new OpenShift before that is installed. Others come from the catalog of the
// new OpenShift, and follow it.
func (o Operator) Before() bool { return o.row.Package == olm.MulticlusterEngine().Package }

// Channel describes the channel for an OpenShift, such as "stable-4.21"; empty for the package's default.
func (o Operator) Channel(openShift *semver.Version) string { return o.row.ChannelFor(openShift) }

// Fit tells how a version of the operator goes with an OpenShift, and which versions would.
func (o Operator) Fit(version, openShift *semver.Version) (fit olm.Fit, wants string) {
	return o.row.Fit(version, openShift)
}

// Fit is how a version of an operator goes with an OpenShift.
type Fit = olm.Fit

// How a version can go with an OpenShift.
const (
	Fits   = olm.Fits
	TooOld = olm.TooOld
	TooNew = olm.TooNew
)

// CommonEngine returns the least multicluster engine for both versions of OpenShift, such as "2.11". It is empty if no
// engine is known to work on both.
func CommonEngine(from, to *semver.Version) string { return olm.CommonEngine(from, to) }
