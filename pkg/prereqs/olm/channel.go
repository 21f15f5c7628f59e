package olm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// stableOfMinor is the rule of operators released with OpenShift, minor by minor (odf-operator): stable-4.Y.
func stableOfMinor(_ string, channels []string, openShift *semver.Version) (string, error) {
	want := channelOfMinor(openShift)
	if !slices.Contains(channels, want) {
		return "", fmt.Errorf("the channel for OpenShift %d.%d is %s, but the catalog offers %s", openShift.Major(),
			openShift.Minor(), want, prereq.Listed(channels))
	}
	return want, nil
}

func channelOfMinor(openShift *semver.Version) string {
	return fmt.Sprintf("stable-%d.%d", openShift.Major(), openShift.Minor())
}

// EngineSpan is the run of MCE 2 minors that work on one OpenShift minor; most 0 means no upper bound is known.
type EngineSpan struct{ Least, Most uint64 }

// engineSpans is which MCE 2.x can host KubeVirt clusters on which OpenShift 4.y. It joins three rules: Red Hat's
// matrices of management clusters; the least OpenShift of an operator (MCE 2.11: 4.19); and HyperShift 4.15's (MCE
// 2.5's) demand for KubeVirt 1.0 and Kubernetes 1.27, which keeps OpenShift before 4.14 at the MCE of its own time.
//
// MCE's numbering jumps from 2.11 (OpenShift 4.21) to 2.17 (OpenShift 4.22), then 5.0. Assumed, as its matrix is not
// published: 2.17 works, as each MCE
// before it, on the two OpenShift minors before its own, and 5.0 on those after 4.20.
func engineSpans() map[uint64]EngineSpan {
	return map[uint64]EngineSpan{
		12: {2, 2}, 13: {3, 3}, 14: {4, 6}, 15: {5, 7}, 16: {6, 10}, 17: {7, 10}, 18: {8, 10}, 19: {9, 11}, 20: {10, 17},
		21: {11, 0},
	}
}

// EngineSpanOf is the span for an OpenShift version; what comes after the table needs the MCE that came with 4.22 or
// later.
func EngineSpanOf(openShift *semver.Version) EngineSpan {
	if span, ok := engineSpans()[openShift.Minor()]; ok && openShift.Major() == 4 {
		return span
	}
	return EngineSpan{Least: 17}
}

// channelsOfEngine describes the channels that fit, for a user.
func channelsOfEngine(openShift *semver.Version) string {
	span := EngineSpanOf(openShift)
	want := fmt.Sprintf("stable-2.%d", span.Least)
	switch {
	case span.Most == 0:
		want += " or later"
	case span.Most > span.Least:
		want += fmt.Sprintf(" to stable-2.%d", span.Most)
	}
	return want
}

// newestEngine is the newest channel on offer whose MCE fits the OpenShift version.
func newestEngine(_ string, channels []string, openShift *semver.Version) (string, error) {
	span := EngineSpanOf(openShift)
	best, bestVersion := "", (*semver.Version)(nil)
	for _, name := range channels {
		number, ok := strings.CutPrefix(name, "stable-")
		v, err := semver.NewVersion(number)
		if err != nil || !ok {
			continue
		}
		fits := v.Major() > 2 && span.Most == 0 || v.Major() == 2 && v.Minor() >= span.Least &&
			(span.Most == 0 || v.Minor() <= span.Most)
		if fits && (bestVersion == nil || v.GreaterThan(bestVersion)) {
			best, bestVersion = name, v
		}
	}
	if best != "" {
		return best, nil
	}
	return "", fmt.Errorf("OpenShift %d.%d needs channel %s, but the catalog offers %s", openShift.Major(),
		openShift.Minor(), channelsOfEngine(openShift), prereq.Listed(channels))
}

// String is such as "2.6 to 2.10".
func (s EngineSpan) String() string {
	switch s.Most {
	case 0:
		return fmt.Sprintf("2.%d and later", s.Least)
	case s.Least:
		return fmt.Sprintf("2.%d", s.Least)
	}
	return fmt.Sprintf("2.%d to 2.%d", s.Least, s.Most)
}
