package olm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// stableOfMinor chooses the channel of operators that are released with each OpenShift minor (odf-operator):
// stable-4.Y. On 4.23 and 5.0, which are the same minor, it accepts the other name if the catalog has only that.
func stableOfMinor(_ string, channels []string, openShift *semver.Version) (string, error) {
	for _, want := range channelsOfMinor(openShift) {
		if slices.Contains(channels, want) {
			return want, nil
		}
	}
	return "", fmt.Errorf("the channel for OpenShift %d.%d is %s, but the catalog offers %s", openShift.Major(),
		openShift.Minor(), channelOfMinor(openShift), prereq.Listed(channels))
}

// channelOfMinor describes the channels that stableOfMinor accepts, for users.
func channelOfMinor(openShift *semver.Version) string {
	return strings.Join(channelsOfMinor(openShift), " or ")
}

// channelsOfMinor returns the accepted channels. The first has OpenShift's own name of its minor.
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

// minorNumber numbers the minors of OpenShift, and of operators with the same version numbers.
func minorNumber(v *semver.Version) int { return openshift.MinorNumber(v.Major(), v.Minor()) }

// engine is a minor version of multicluster engine.
type engine struct{ major, minor uint64 }

func engineOf(v *semver.Version) engine { return engine{v.Major(), v.Minor()} }

func (e engine) before(other engine) bool {
	return e.major < other.major || e.major == other.major && e.minor < other.minor
}

func (e engine) String() string { return fmt.Sprintf("%d.%d", e.major, e.minor) }

// EngineSpan is the range of multicluster engine minors that work on one OpenShift minor.
type EngineSpan struct {
	lowest, highest engine
	// open means that minors newer than highest may work as well: they are not refused, but not chosen.
	open bool
}

// EngineSpanOf returns the multicluster engines that can host KubeVirt clusters on an OpenShift. It joins three rules:
// Red Hat's matrices of management clusters; the minimum OpenShift of an operator (MCE 2.11: 4.19); and the requirement
// of HyperShift 4.15 (MCE 2.5) for KubeVirt 1.0 and Kubernetes 1.27, which limits OpenShift before 4.14 to the MCE
// released with it.
//
// The numbering of MCE jumps from 2.11 (OpenShift 4.21) to 2.17 (4.22), 5.0 (4.23 and 5.0) and 5.1 (5.1). Its matrix is
// not published, so two things are assumed: 2.17 works on the two OpenShift minors before its own, as each MCE before
// it, and from 4.22 on an OpenShift needs the MCE released with it or a later one.
func EngineSpanOf(openShift *semver.Version) EngineSpan {
	two := func(lowest, highest uint64) EngineSpan {
		return EngineSpan{lowest: engine{2, lowest}, highest: engine{2, highest}}
	}
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

// channelsOfEngine describes the channels that fit, for users.
func channelsOfEngine(openShift *semver.Version) string {
	span := EngineSpanOf(openShift)
	want := "stable-" + span.lowest.String()
	switch {
	case span.open:
		want += " or later"
	case span.highest != span.lowest:
		want += " to stable-" + span.highest.String()
	}
	return want
}

// newestEngine returns the newest offered channel whose MCE is known to run on the OpenShift version, or else the
// oldest channel that may work.
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
		switch known, bestKnown := !span.highest.before(e), !span.highest.before(bestEngine); {
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

// String returns the range in words, such as "2.6 to 2.10".
func (s EngineSpan) String() string {
	switch {
	case s.open:
		return s.lowest.String() + " and later"
	case s.lowest == s.highest:
		return s.lowest.String()
	}
	return s.lowest.String() + " to " + s.highest.String()
}
