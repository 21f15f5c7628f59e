package update

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
)

// targetError returns the error about a version to which the cluster cannot be updated.
func targetError(target string, next hint.Text, format string, args ...any) error {
	return failure.New(failure.Misused, next, "%s %s: %s", hint.Flag("to"), target, fmt.Sprintf(format, args...))
}

// Validate checks the form of a version. The empty string is valid.
func Validate(target string) error {
	if target == "" || hostedcluster.ExactVersion(target) {
		return nil
	}
	return targetError(target, hint.New("give all three numbers, such as 4.20.8"), "not a version of OpenShift")
}

// installed returns the version that was completed last.
func installed(cv *configv1.ClusterVersion) (hostedcluster.Version, error) {
	text := cv.Status.Desired.Version
	for _, h := range cv.Status.History {
		if h.State == configv1.CompletedUpdate {
			text = h.Version
			break
		}
	}
	v, ok := hostedcluster.ParseVersion(text)
	if !ok {
		return v, fmt.Errorf("ClusterVersion version has no version that can be read: %q", text)
	}
	return v, nil
}

// route is the way from one version to another.
type route struct {
	from, to hostedcluster.Version
	// known is false if no version was requested and none is offered.
	known bool
}

// minors returns the number of minor versions that the route crosses.
func (r route) minors() int {
	if !r.known {
		return 0
	}
	return r.to.MinorNumber() - r.from.MinorNumber()
}

// twoSteps reports whether this is an EUS-to-EUS update.
func (r route) twoSteps() bool { return r.minors() == 2 }

// through returns the minor version between the two of an EUS-to-EUS update.
func (r route) through() hostedcluster.Version { return r.from.AddMinors(1) }

// first returns the target of the first step: any patch of the minor between, or the target itself.
func (r route) first() hostedcluster.Version {
	if r.twoSteps() {
		return r.through()
	}
	return r.to
}

// number converts a version for the table of operators.
func number(v hostedcluster.Version) *semver.Version {
	//nolint:gosec // the form of a version has no negative numbers
	return semver.New(uint64(v.Major), uint64(v.Minor), uint64(v.Patch), "", "")
}

// kubernetesAhead is the difference between the minors of Kubernetes and OpenShift: 4.20 has 1.33 (HyperShift,
// support/supportedversion, 4.14 to 5.1).
const kubernetesAhead = 13

func kubernetesMinor(v hostedcluster.Version) int { return v.MinorNumber() + kubernetesAhead }

// routeTo returns the route to a version, by default to the newest recommended one. OpenShift is updated one minor
// version at a time. Between minors with even numbers, which have extended support (EUS), worker pools may skip the one
// between.
func routeTo(now hostedcluster.Version, target string, offers []release.Update) (route, error) {
	r := route{from: now}
	if target == "" {
		for _, o := range offers {
			if o.Source == release.Recommended {
				r.to, r.known = hostedcluster.ParseVersion(o.Version)
				return r, nil
			}
		}
		return r, nil
	}
	r.to, r.known = hostedcluster.ParseVersion(target)
	refuse := func(next hint.Text, format string, args ...any) (route, error) {
		return route{}, targetError(target, next, format, args...)
	}
	list := hint.New("%s lists the versions on offer", hint.Run("upgrade management").Flag("plan"))
	ahead := r.minors()
	switch {
	case r.to == now:
		return refuse(list, "the cluster runs it already")
	case r.to.Before(now):
		return refuse(list, "the cluster runs %s, and OpenShift does not go back to an older version", now)
	case ahead == 2 && now.Major == 4 && r.to.Major == 4 && now.Minor%2 == 0:
		return r, nil
	case ahead > 1:
		return refuse(hint.New("plan a step to %s first", strings.Join(openshift.MinorNames(now.MinorNumber()+1), " or ")),
			"the cluster runs %s, and OpenShift takes one minor version at a time (two between even minors of OpenShift 4)",
			now)
	}
	return r, nil
}
