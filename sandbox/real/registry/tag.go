package registry

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// releasePattern matches the tags of published payloads: 4.20.3-x86_64, 4.20.3-multi, 4.21.0-rc.1-multi.
var releasePattern = regexp.MustCompile(
	`^(4\.(\d{1,2})\.\d{1,2}(?:-(?:rc|ec)\.\d+)?)-(x86_64|multi|aarch64|ppc64le|s390x)$`)

// firstMinor and lastMinor are the releases that this registry has: v0.1.70 of HyperShift takes no OpenShift 5.
const firstMinor, lastMinor = 8, 23

// releaseTag is the tag of a payload.
type releaseTag struct {
	tag, version, suffix string
	y                    int
}

// parseTag reads the tag of a payload. ok is false for every other tag.
func parseTag(tag string) (r releaseTag, ok bool) {
	m := releasePattern.FindStringSubmatch(tag)
	if m == nil {
		return releaseTag{}, false
	}
	y, err := strconv.Atoi(m[2])
	if err != nil || y < firstMinor || y > lastMinor {
		return releaseTag{}, false
	}
	return releaseTag{tag: tag, version: m[1], suffix: m[3], y: y}, true
}

func (r releaseTag) minor() string { return fmt.Sprintf("4.%d", r.y) }

// kubernetes returns the version of Kubernetes in a release: 4.20 has 1.33.
func (r releaseTag) kubernetes() string { return fmt.Sprintf("1.%d.0", r.y+13) }

func (r releaseTag) bootRelease() string { return fmt.Sprintf("4%d.0.0", r.y) }

// goArch returns Go's name of the architecture of the components.
func (r releaseTag) goArch() string {
	switch r.suffix {
	case "aarch64":
		return "arm64"
	case "ppc64le", "s390x":
		return r.suffix
	}
	return "amd64"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
