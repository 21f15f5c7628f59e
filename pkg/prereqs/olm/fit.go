package olm

import (
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/internal/openshift"
)

// Fit is how a version of an operator goes with an OpenShift.
type Fit string

// How a version can go with an OpenShift.
const (
	Fits   Fit = "fits"
	TooOld Fit = "too old"
	TooNew Fit = "too new"
)

// ChannelFor describes the channel for an OpenShift, such as "stable-4.21"; empty for the package's default.
func (op Operator) ChannelFor(openShift *semver.Version) string {
	if op.wants == nil {
		return ""
	}
	return op.wants(openShift)
}

// Fit tells how a version of the operator goes with an OpenShift, and which versions would. All but multicluster engine
// have a release for each minor of OpenShift, with its number: one of 4.23 and 5.0 goes with both.
func (op Operator) Fit(version, openShift *semver.Version) (fit Fit, wants string) {
	if op.Package == MulticlusterEngine().Package {
		span := EngineSpanOf(openShift)
		return span.fit(version), span.String()
	}
	wants = strings.Join(openshift.MinorNames(minorNumber(openShift)), " or ")
	switch own, minor := minorNumber(version), minorNumber(openShift); {
	case own < minor:
		return TooOld, wants
	case own > minor:
		return TooNew, wants
	}
	return Fits, wants
}

func (s EngineSpan) fit(version *semver.Version) Fit {
	switch {
	case engineOf(version).before(s.least):
		return TooOld
	case !s.open && s.most.before(engineOf(version)):
		return TooNew
	}
	return Fits
}

// CommonEngine returns the least multicluster engine for both versions of OpenShift, such as "2.11". It is empty if no
// engine is known to work on both.
func CommonEngine(from, to *semver.Version) string {
	a, b := EngineSpanOf(from), EngineSpanOf(to)
	least := a.least
	if least.before(b.least) {
		least = b.least
	}
	if !a.open && a.most.before(least) || !b.open && b.most.before(least) {
		return ""
	}
	return least.String()
}
