package hostedcluster

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/Masterminds/semver/v3"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/openshift"
)

// Version is an OpenShift version: three numbers, and a suffix such as "rc.1" before the release.
type Version struct {
	Major, Minor, Patch int
	// Candidate is the suffix, empty for a release.
	Candidate string
}

// versionForm matches the version in an image tag ("4.20.3-x86_64", "4.21.0-rc.1-multi") or in the name of a
// ClusterImageSet ("img4.20.3-x86-64-appsub").
var versionForm = lazyregexp.New(`(\d+)\.(\d+)\.(\d+)(?:-((?:ec|fc|rc)\.\d+|0\.\w[\w.-]*))?`)

// ParseVersion returns the first version in s. It returns false if there is none.
func ParseVersion(s string) (Version, bool) {
	m := versionForm.FindStringSubmatch(s)
	if m == nil {
		return Version{}, false
	}
	var v Version
	for i, to := range []*int{&v.Major, &v.Minor, &v.Patch} {
		n, err := strconv.Atoi(m[i+1])
		if err != nil {
			return Version{}, false
		}
		*to = n
	}
	v.Candidate = m[4]
	return v, true
}

// String returns the version, such as "4.21.0-rc.1".
func (v Version) String() string {
	s := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Candidate != "" {
		s += "-" + v.Candidate
	}
	return s
}

// MinorName returns the minor version, such as "4.20".
func (v Version) MinorName() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// MinorNumber returns the number of the minor version in one sequence: 4.20 is 20, 4.23 and 5.0 are 23, 5.1 is 24.
func (v Version) MinorNumber() int { return openshift.MinorNumber(v.Major, v.Minor) }

// SameMinor reports whether both versions have the same minor version. 5.0 is 4.23.
func (v Version) SameMinor(w Version) bool { return v.MinorNumber() == w.MinorNumber() }

// ParseMinor parses the name of a minor version, such as "4.20".
func ParseMinor(name string) (Version, bool) {
	v, ok := ParseVersion(name + ".0")
	return v, ok && v.MinorName() == name
}

// MinorIn reports whether the version belongs to one of the minor versions, which have the form of MinorName.
func (v Version) MinorIn(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		minor, ok := ParseMinor(name)
		return ok && v.SameMinor(minor)
	})
}

// AddMinors returns the first release of the minor version that is n later, or earlier if n is negative. If the minor
// version has two names, the result has v's major version.
func (v Version) AddMinors(n int) Version {
	names := openshift.MinorNames(v.MinorNumber() + n)
	name := names[0]
	if len(names) > 1 && v.Major > 4 {
		name = names[1]
	}
	w, _ := ParseVersion(name + ".0")
	return w
}

// Before reports whether v was published before w. A candidate was published before its release.
func (v Version) Before(w Version) bool { return v.CompareAge(w) < 0 }

// CompareAge compares versions by publication: nightlies, ec, fc and rc come before their release. 4.23.1 and 5.0.1 are
// one release.
func (v Version) CompareAge(w Version) int {
	return cmp.Or(cmp.Compare(v.MinorNumber(), w.MinorNumber()), cmp.Compare(v.Patch, w.Patch),
		compareCandidates(v.Candidate, w.Candidate))
}

// compareCandidates compares the suffixes by Semantic Versioning. That does not allow leading zeros: for numbers that
// differ only in them it finds each older than the other, so they are compared as text.
func compareCandidates(a, b string) int {
	v, w := semver.New(0, 0, 0, a, ""), semver.New(0, 0, 0, b, "")
	if c := v.Compare(w); c == -w.Compare(v) {
		return c
	}
	return cmp.Compare(a, b)
}

// Compare compares versions by preference for a new cluster: by number, but all candidates come before all releases. Of
// one release with two names the newer name is preferred.
func (v Version) Compare(w Version) int {
	return cmp.Or(
		-cmp.Compare(min(1, len(v.Candidate)), min(1, len(w.Candidate))), v.CompareAge(w), cmp.Compare(v.Major, w.Major))
}

// ExactVersion reports whether s is exactly one version in its normal form.
func ExactVersion(s string) bool {
	v, ok := ParseVersion(s)
	return ok && v.String() == s
}

// ReleaseVersion returns the version that a hosted cluster has or is rolling out, empty if it is unknown.
func ReleaseVersion(hc *hyperv1.HostedCluster) string {
	if v := hc.Status.Version; v != nil {
		if len(v.History) > 0 && v.History[0].Version != "" {
			return v.History[0].Version
		}
		return v.Desired.Version
	}
	return ""
}

// ConsoleURL returns the address of a hosted cluster's web console, which OpenShift puts below the cluster's *.apps;
// empty as long as the HostedCluster has no base domain.
func ConsoleURL(hc *hyperv1.HostedCluster) string {
	if hc.Spec.DNS.BaseDomain == "" {
		return ""
	}
	return "https://console-openshift-console." + AppsDomain(hc)
}

// AppsDomain returns the domain of a hosted cluster's Routes (support/globalconfig, IngressDomain, 4.14 to 4.21).
func AppsDomain(hc *hyperv1.HostedCluster) string {
	if c := hc.Spec.Configuration; c != nil && c.Ingress != nil && c.Ingress.AppsDomain+c.Ingress.Domain != "" {
		return cmp.Or(c.Ingress.AppsDomain, c.Ingress.Domain)
	}
	prefix := ptr.Deref(hc.Spec.DNS.BaseDomainPrefix, hc.Name)
	if prefix != "" {
		prefix += "."
	}
	return "apps." + prefix + hc.Spec.DNS.BaseDomain
}

// BaseDomainPassthrough reports whether the ingress of a hosted cluster passes through a wildcard Route of the
// management cluster.
func BaseDomainPassthrough(spec hyperv1.HostedClusterSpec) bool {
	return spec.Platform.Kubevirt != nil && ptr.Deref(spec.Platform.Kubevirt.BaseDomainPassthrough, false)
}
