// Package release simulates the registry of OpenShift releases, and the update service, which knows the upgrades
// between them.
package release

import (
	"regexp"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// Registry simulates the image registry: it has OpenShift release payloads only. Every other host does not resolve.
type Registry struct {
	// Payload is the one image known by digest, with its version: the management cluster's own.
	Payload, PayloadVersion string
}

// Payload has what the operator reads from a payload.
type Payload struct {
	Image   string
	Version string
	Arch    hyperv1.PayloadArchType
}

// Repository is the repository of OpenShift releases.
const Repository = "quay.io/openshift-release-dev/ocp-release"

// imageError is a failure to read a payload. Its messages are those of the vendor's library.
type imageError struct{ image, cause string }

func (e *imageError) Error() string { return e.cause }

// Tags as the product publishes them: 4.20.3-x86_64, 4.20.3-multi, 4.21.0-rc.1-multi.
var releaseTag = regexp.MustCompile(`^((\d+)\.(\d+)\.(\d+)(-(?:rc|ec)\.\d+)?)-(x86_64|multi|aarch64|ppc64le|s390x)$`)

// Lookup reads the payload of an image reference.
func (r Registry) Lookup(image string) (Payload, error) {
	if image == r.Payload {
		return Payload{Image: image, Version: r.PayloadVersion, Arch: hyperv1.AMD64}, nil
	}
	host, _, _ := strings.Cut(image, "/")
	if host != "quay.io" {
		return Payload{}, &imageError{image, msgNoSuchHost(host)}
	}
	tag, ok := strings.CutPrefix(image, Repository+":")
	if strings.HasPrefix(image, Repository+"@") {
		tag, ok = byDigest()[image]
	}
	if !ok {
		return Payload{}, &imageError{image, msgManifestUnknown}
	}
	m := releaseTag.FindStringSubmatch(tag)
	if m == nil || !plausible(m[1], m[4]) {
		return Payload{}, &imageError{image, msgManifestUnknown}
	}
	return Payload{Image: image, Version: m[1], Arch: payloadArch(m[6])}, nil
}

// The numbers of the minors that could exist: 4.8 to 5.2.
const leastMinor, mostMinor = 8, 25

// plausible reports whether a version could exist: 4.8.0 to 4.23.99, and 5.0.0 to 5.2.99.
func plausible(version, patch string) bool {
	number := Minor(version)
	return number >= leastMinor && number <= mostMinor && len(patch) <= 2 && slices.ContainsFunc(
		profile.MinorNames(number), func(name string) bool { return strings.HasPrefix(version, name+".") })
}

func payloadArch(suffix string) hyperv1.PayloadArchType {
	switch suffix {
	case "multi":
		return hyperv1.Multi
	case "aarch64":
		return hyperv1.ARM64
	case "ppc64le":
		return hyperv1.PPC64LE
	case "s390x":
		return hyperv1.S390X
	}
	return hyperv1.AMD64
}
