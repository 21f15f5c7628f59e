package release

import (
	"fmt"
	"regexp"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// The simulated update service knows the releases of ClusterImageSets and, for each minor that the operator can create,
// some patches. A release leads to every newer one of its own minor and of the next, within the channel. Assumed: of
// the names 4.23 and 5.0 a channel has its own, and later channels have both.

// riskyPatch of each minor is not recommended by the update service.
const riskyPatch = 6

// The risk is made up. Real ones have this form: a name, a page, a message, and rules for the affected clusters.
const (
	riskName    = "GuestNetworkInterruption"
	riskURL     = "https://issues.redhat.com/browse/OCPBUGS-0"
	riskMessage = "Nodes that are virtual machines may lose the network for some seconds while they join a cluster of " +
		"this release."
	riskReason = riskName
)

var channelName = regexp.MustCompile(`^(stable|fast|candidate|eus)-([45]\.\d+)$`)

// Updates is an answer of the update service.
type Updates struct {
	// Problem is why there is no answer, ProblemReason its reason; "" if there is one.
	ProblemReason, Problem string
	Available              []configv1.Release
	Conditional            []configv1.ConditionalUpdate
	Channels               []string
}

// UpdatesFrom answers for a cluster's version and channel.
func UpdatesFrom(known []Payload, version, channel string) Updates {
	m := channelName.FindStringSubmatch(channel)
	if channel == "" {
		return Updates{ProblemReason: "NoChannel", Problem: "The update channel has not been configured."}
	}
	ceiling := -1
	if m != nil {
		ceiling = Minor(m[2])
	}
	if ceiling < Minor(version) || ceiling > Minor(version)+1 {
		return Updates{ProblemReason: "VersionNotFound", Problem: fmt.Sprintf(
			"Unable to retrieve available updates: currently reconciling cluster version %s not found in the %q channel",
			version, channel)}
	}
	u := Updates{Available: []configv1.Release{}}
	for _, name := range append(profile.MinorNames(Minor(version)), profile.MinorNames(Minor(version)+1)...) {
		for _, kind := range []string{"candidate", "fast", "stable"} {
			u.Channels = append(u.Channels, kind+"-"+name)
		}
	}
	for i := len(known) - 1; i >= 0; i-- { // newest first, like the real list
		to := known[i]
		if !Newer(to.Version, version) || Minor(to.Version) > ceiling || strings.Contains(to.Version, "-") &&
			m[1] != "candidate" || Minor(to.Version) == ceiling && !strings.HasPrefix(to.Version, m[2]+".") {
			continue
		}
		target := configv1.Release{
			Version: to.Version, Image: to.Image, Channels: u.Channels,
			URL: configv1.URL("https://access.redhat.com/errata/RHSA-2025:" + shortNumber(to.Version)),
		}
		if Patch(to.Version) == riskyPatch {
			u.Conditional = append(u.Conditional, riskOf(target))
			continue
		}
		u.Available = append(u.Available, target)
	}
	return u
}

func riskOf(target configv1.Release) configv1.ConditionalUpdate {
	return configv1.ConditionalUpdate{
		Release: target,
		Risks: []configv1.ConditionalUpdateRisk{{
			Name: riskName, URL: riskURL, Message: riskMessage, MatchingRules: []configv1.ClusterCondition{{Type: "Always"}},
		}},
		Conditions: []metav1.Condition{{
			Type: "Recommended", Status: metav1.ConditionFalse, Reason: riskReason, Message: riskMessage + " " + riskURL,
			// A constant time: the risk applies to every cluster, and always did.
			LastTransitionTime: metav1.Unix(1735689600, 0),
		}},
	}
}

// shortNumber makes the number of an erratum. Any four digits do.
func shortNumber(version string) string {
	return fmt.Sprintf("%d%02d", 10+Minor(version), Patch(version))
}
