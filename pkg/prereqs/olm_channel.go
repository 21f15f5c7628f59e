package prereqs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// stableOfMinor is the rule of operators released with OpenShift, minor by minor (odf-operator): stable-4.Y.
func stableOfMinor(_ string, channels []string, openShift *semver.Version) (string, error) {
	want := channelOfMinor(openShift)
	if !slices.Contains(channels, want) {
		return "", fmt.Errorf("the channel for OpenShift %d.%d is %s, but the catalog offers %s", openShift.Major(), openShift.Minor(), want, listed(channels))
	}
	return want, nil
}

func channelOfMinor(openShift *semver.Version) string {
	return fmt.Sprintf("stable-%d.%d", openShift.Major(), openShift.Minor())
}

// engineSpan is the run of MCE 2 minors that work on one OpenShift minor; most 0 means no upper bound is known.
type engineSpan struct{ least, most uint64 }

// engineSpans is which MCE 2.x can host KubeVirt clusters on which OpenShift 4.y. It joins three rules: Red Hat's matrices of
// management clusters; the least OpenShift of an operator (MCE 2.11: 4.19); and HyperShift 4.15's (MCE 2.5's) demand for
// KubeVirt 1.0 and Kubernetes 1.27, which keeps OpenShift before 4.14 at the MCE of its own time.
//
// MCE's numbering jumps from 2.11 (OpenShift 4.21) to 2.17 (OpenShift 4.22), then 5.0. Guess: 2.17 works, as each MCE before
// it, on the two OpenShift minors before its own, and 5.0 on those after 4.20.
func engineSpans() map[uint64]engineSpan {
	return map[uint64]engineSpan{
		12: {2, 2}, 13: {3, 3}, 14: {4, 6}, 15: {5, 7}, 16: {6, 10}, 17: {7, 10}, 18: {8, 10}, 19: {9, 11}, 20: {10, 17}, 21: {11, 0},
	}
}

// engineSpanOf is the span for an OpenShift version; what comes after the table needs the MCE that came with 4.22 or later.
func engineSpanOf(openShift *semver.Version) engineSpan {
	if span, ok := engineSpans()[openShift.Minor()]; ok && openShift.Major() == 4 {
		return span
	}
	return engineSpan{least: 17}
}

// channelsOfEngine describes the channels that fit, for a person.
func channelsOfEngine(openShift *semver.Version) string {
	span := engineSpanOf(openShift)
	want := fmt.Sprintf("stable-2.%d", span.least)
	switch {
	case span.most == 0:
		want += " or later"
	case span.most > span.least:
		want += fmt.Sprintf(" to stable-2.%d", span.most)
	}
	return want
}

// newestEngine is the newest channel on offer whose MCE fits the OpenShift version.
func newestEngine(_ string, channels []string, openShift *semver.Version) (string, error) {
	span := engineSpanOf(openShift)
	best, bestVersion := "", (*semver.Version)(nil)
	for _, name := range channels {
		number, ok := strings.CutPrefix(name, "stable-")
		v, err := semver.NewVersion(number)
		if err != nil || !ok {
			continue
		}
		fits := v.Major() > 2 && span.most == 0 || v.Major() == 2 && v.Minor() >= span.least && (span.most == 0 || v.Minor() <= span.most)
		if fits && (bestVersion == nil || v.GreaterThan(bestVersion)) {
			best, bestVersion = name, v
		}
	}
	if best != "" {
		return best, nil
	}
	return "", fmt.Errorf("OpenShift %d.%d needs channel %s, but the catalog offers %s", openShift.Major(), openShift.Minor(), channelsOfEngine(openShift), listed(channels))
}

// String is such as "2.6 to 2.10".
func (s engineSpan) String() string {
	switch s.most {
	case 0:
		return fmt.Sprintf("2.%d and later", s.least)
	case s.least:
		return fmt.Sprintf("2.%d", s.least)
	}
	return fmt.Sprintf("2.%d to 2.%d", s.least, s.most)
}
