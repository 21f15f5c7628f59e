package prereqs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// stableOfMinor is the rule of operators released with OpenShift, minor by minor (odf-operator): stable-4.Y.
func stableOfMinor(_ string, channels []string, openShift *semver.Version) (string, error) {
	want := fmt.Sprintf("stable-%d.%d", openShift.Major(), openShift.Minor())
	if !slices.Contains(channels, want) {
		return "", fmt.Errorf("the channel for OpenShift %d.%d is %s, but the catalog offers %s", openShift.Major(), openShift.Minor(), want, listed(channels))
	}
	return want, nil
}

// engineSpan is the run of MCE minors that work on one OpenShift minor; most 0 means no upper bound is known.
type engineSpan struct{ least, most uint64 }

// engineSpans is which MCE 2.x can host KubeVirt clusters on which OpenShift 4.y. It joins two rules: Red Hat's matrices of
// management clusters, and HyperShift 4.15's (MCE 2.5's) demand for KubeVirt 1.0 and Kubernetes 1.27, which keeps OpenShift
// before 4.14 at the MCE of its own time.
func engineSpans() map[uint64]engineSpan {
	return map[uint64]engineSpan{
		12: {2, 2}, 13: {3, 3}, 14: {4, 6}, 15: {5, 7}, 16: {6, 10}, 17: {7, 0}, 18: {8, 0}, 19: {9, 0}, 20: {10, 0}, 21: {11, 0},
	}
}

// newestEngine is the newest channel on offer whose MCE fits the OpenShift minor. For an OpenShift newer than the table, the
// newest row stands: MCE's numbering jumps after 2.11, so later bounds cannot be guessed.
func newestEngine(_ string, channels []string, openShift *semver.Version) (string, error) {
	spans := engineSpans()
	span, ok := spans[openShift.Minor()]
	if openShift.Major() != 4 || !ok {
		span = spans[21]
	}
	best, bestVersion := "", (*semver.Version)(nil)
	for _, name := range channels {
		v, err := semver.NewVersion(strings.TrimPrefix(name, "stable-"))
		if err != nil || !strings.HasPrefix(name, "stable-") {
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
	want := fmt.Sprintf("stable-2.%d", span.least)
	switch {
	case span.most == 0:
		want += " or later"
	case span.most > span.least:
		want += fmt.Sprintf(" to stable-2.%d", span.most)
	}
	return "", fmt.Errorf("OpenShift %d.%d needs channel %s, but the catalog offers %s", openShift.Major(), openShift.Minor(), want, listed(channels))
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
