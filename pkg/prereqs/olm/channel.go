package olm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// stableOfMinor is the rule of operators released with OpenShift, minor by minor (odf-operator): stable-4.Y, or on 4.23
// and 5.0 the other name of that minor, where the catalog has only that.
func stableOfMinor(_ string, channels []string, openShift *semver.Version) (string, error) {
	for _, want := range channelsOfMinor(openShift) {
		if slices.Contains(channels, want) {
			return want, nil
		}
	}
	return "", fmt.Errorf("the channel for OpenShift %d.%d is %s, but the catalog offers %s", openShift.Major(),
		openShift.Minor(), channelOfMinor(openShift), prereq.Listed(channels))
}

// channelOfMinor describes the channels that stableOfMinor takes, for a user.
func channelOfMinor(openShift *semver.Version) string {
	return strings.Join(channelsOfMinor(openShift), " or ")
}

// channelsOfMinor begins with the channel by OpenShift's own name of its minor.
func channelsOfMinor(openShift *semver.Version) []string {
	own := fmt.Sprintf("stable-%d.%d", openShift.Major(), openShift.Minor())
	channels := []string{own}
	for _, name := range openshift.MinorNames(minorNumber(openShift)) {
		if channel := "stable-" + name; channel != own {
			channels = append(channels, channel)
		}
	}
	return channels
}

// minorNumber numbers the minor versions of OpenShift, and of operators that have its numbers.
func minorNumber(v *semver.Version) int { return openshift.MinorNumber(v.Major(), v.Minor()) }

// engine is a minor version of multicluster engine.
type engine struct{ major, minor uint64 }

func engineOf(v *semver.Version) engine { return engine{v.Major(), v.Minor()} }

func (e engine) before(other engine) bool {
	return e.major < other.major || e.major == other.major && e.minor < other.minor
}

func (e engine) String() string { return fmt.Sprintf("%d.%d", e.major, e.minor) }

// EngineSpan is the run of multicluster engine's minors that work on one OpenShift minor.
type EngineSpan struct {
	least, most engine
	// open means that newer ones than most may work as well: they are not refused, and not chosen.
	open bool
}

// EngineSpanOf is which multicluster engines can host KubeVirt clusters on an OpenShift. It joins three rules: Red
// Hat's matrices of management clusters; the least OpenShift of an operator (MCE 2.11: 4.19); and HyperShift 4.15's
// (MCE 2.5's) demand for KubeVirt 1.0 and Kubernetes 1.27, which keeps OpenShift before 4.14 at the MCE of its own
// time.
//
// MCE's numbering jumps from 2.11 (OpenShift 4.21) to 2.17 (4.22), 5.0 (4.23 and 5.0) and 5.1 (5.1). Assumed, as its
// matrix is not published: 2.17 works, as each MCE before it, on the two OpenShift minors before its own, and from 4.22
// on an OpenShift needs the MCE of its own time or a later one.
func EngineSpanOf(openShift *semver.Version) EngineSpan {
	two := func(least, most uint64) EngineSpan { return EngineSpan{least: engine{2, least}, most: engine{2, most}} }
	spans := map[int]EngineSpan{
		12: two(2, 2), 13: two(3, 3), 14: two(4, 6), 15: two(5, 7), 16: two(6, 10), 17: two(7, 10), 18: two(8, 10),
		19: two(9, 11), 20: two(10, 17), 21: {engine{2, 11}, engine{2, 17}, true}, 22: {engine{2, 17}, engine{2, 17}, true},
	}
	number := minorNumber(openShift)
	if span, ok := spans[number]; ok || number < 23 {
		return span
	}
	own := engine{5, uint64(number - 23)}
	return EngineSpan{own, own, true}
}

// channelsOfEngine describes the channels that fit, for a user.
func channelsOfEngine(openShift *semver.Version) string {
	span := EngineSpanOf(openShift)
	want := "stable-" + span.least.String()
	switch {
	case span.open:
		want += " or later"
	case span.most != span.least:
		want += " to stable-" + span.most.String()
	}
	return want
}

// newestEngine is the newest channel on offer whose MCE is known to run on the OpenShift version; without one the
// oldest of those that may.
func newestEngine(_ string, channels []string, openShift *semver.Version) (string, error) {
	span := EngineSpanOf(openShift)
	best, bestEngine := "", engine{}
	for _, name := range channels {
		number, ok := strings.CutPrefix(name, "stable-")
		v, err := semver.NewVersion(number)
		if err != nil || !ok || span.fit(v) != Fits {
			continue
		}
		e := engineOf(v)
		switch known, bestKnown := !span.most.before(e), !span.most.before(bestEngine); {
		case best == "", known && (!bestKnown || bestEngine.before(e)), !known && !bestKnown && e.before(bestEngine):
			best, bestEngine = name, e
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
	switch {
	case s.open:
		return s.least.String() + " and later"
	case s.least == s.most:
		return s.least.String()
	}
	return s.least.String() + " to " + s.most.String()
}
