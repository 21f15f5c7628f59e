package olm

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
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
// have a release for each minor of OpenShift, with its number.
func (op Operator) Fit(version, openShift *semver.Version) (fit Fit, wants string) {
	if op.Package == MulticlusterEngine().Package {
		span := EngineSpanOf(openShift)
		return span.fit(version), span.String()
	}
	wants = fmt.Sprintf("%d.%d", openShift.Major(), openShift.Minor())
	own := semver.New(version.Major(), version.Minor(), 0, "", "")
	minor := semver.New(openShift.Major(), openShift.Minor(), 0, "", "")
	switch {
	case own.LessThan(minor):
		return TooOld, wants
	case own.GreaterThan(minor):
		return TooNew, wants
	}
	return Fits, wants
}

func (s EngineSpan) fit(version *semver.Version) Fit {
	switch {
	case version.Major() == 2 && version.Minor() < s.Least:
		return TooOld
	case s.Most > 0 && (version.Major() > 2 || version.Minor() > s.Most):
		return TooNew
	}
	return Fits
}

// CommonEngine returns the least multicluster engine for both versions of OpenShift, such as "2.11". It is empty if no
// engine is known to work on both.
func CommonEngine(from, to *semver.Version) string {
	a, b := EngineSpanOf(from), EngineSpanOf(to)
	least := max(a.Least, b.Least)
	if a.Most > 0 && least > a.Most || b.Most > 0 && least > b.Most {
		return ""
	}
	return fmt.Sprintf("2.%d", least)
}
