package design

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

// Impossible returns the settings that this release of OpenShift Data Foundation does not support, each with the
// reason.
func (o Options) Impossible(version *semver.Version) []string {
	var out []string
	release := fmt.Sprintf("OpenShift Data Foundation %d.%d", version.Major(), version.Minor())
	if o.Profile != "" && before(version, 15) {
		out = append(out, fmt.Sprintf("resource profile %s: %s has no resource profiles, 4.15 and later have", o.Profile,
			release))
	}
	switch {
	case o.VirtualizationClass == MarkClass && before(version, 14):
		out = append(out, fmt.Sprintf("virtualization class %s: %s makes no class for virtual machines, 4.14 and later do",
			MarkClass, release))
	case o.VirtualizationClass == LeaveClass && !before(version, 14) && before(version, 19):
		out = append(out, fmt.Sprintf("virtualization class %s: %s always marks its class for virtual machines as their "+
			"default, 4.19 and later need not", LeaveClass, release))
	}
	return out
}

func before(version *semver.Version, minor uint64) bool {
	return version.LessThan(semver.New(4, minor, 0, "", ""))
}
