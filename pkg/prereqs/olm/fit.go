package olm

import (
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/internal/openshift"
)

// Fit is the compatibility of an operator version with an OpenShift version.
type Fit string

// Values of Fit.
const (
	Fits   Fit = "fits"
	TooOld Fit = "too old"
	TooNew Fit = "too new"
)

// ChannelFor describes the channel for an OpenShift, such as "stable-4.21". It is empty if the package's default fits.
func (op Operator) ChannelFor(openShift *semver.Version) string {
	if op.wants == nil {
		return ""
	}
	return op.wants(openShift)
}

// Fit returns the compatibility of an operator version with an OpenShift, and the versions that fit. All operators but
// multicluster engine have a release for each OpenShift minor with the same number; one for 4.23 or 5.0 fits both.
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
	case engineOf(version).before(s.lowest):
		return TooOld
	case !s.open && s.highest.before(engineOf(version)):
		return TooNew
	}
	return Fits
}

// CommonEngine returns the lowest multicluster engine for both versions of OpenShift, such as "2.11". It is empty if no
// engine is known to work on both.
func CommonEngine(from, to *semver.Version) string {
	a, b := EngineSpanOf(from), EngineSpanOf(to)
	lowest := a.lowest
	if lowest.before(b.lowest) {
		lowest = b.lowest
	}
	if !a.open && a.highest.before(lowest) || !b.open && b.highest.before(lowest) {
		return ""
	}
	return lowest.String()
}
