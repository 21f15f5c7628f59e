package release

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The update service this sandbox plays: it knows the releases that ClusterImageSets name and, for each minor the
// operator can create, some patches. A release leads to every newer one of its own minor and of the next, as far as the
// channel goes.

// riskyPatch of each minor is one the update service does not recommend.
const riskyPatch = 6

// Guess: the risk. Real ones are of this form: a name, a page, a message, and rules that decide for which clusters they
// hold.
const (
	riskName    = "GuestNetworkInterruption"
	riskURL     = "https://issues.redhat.com/browse/OCPBUGS-0"
	riskMessage = "Nodes that are virtual machines may lose the network for some seconds while they join a cluster of " +
		"this release."
	riskReason = riskName
)

var channelName = regexp.MustCompile(`^(stable|fast|candidate|eus)-4\.(\d+)$`)

// Updates are what the update service answers.
type Updates struct {
	// problem is why there is no answer, ProblemReason in a word; "" if there is one.
	ProblemReason, Problem string
	Available              []configv1.Release
	Conditional            []configv1.ConditionalUpdate
	Channels               []string
}

// UpdatesFrom answers for a cluster at a version that follows a channel.
func UpdatesFrom(known []Payload, version, channel string) Updates {
	m := channelName.FindStringSubmatch(channel)
	if channel == "" {
		return Updates{ProblemReason: "NoChannel", Problem: "The update channel has not been configured."}
	}
	ceiling := -1
	if m != nil {
		ceiling, _ = strconv.Atoi(m[2]) // digits only, says the expression
	}
	if ceiling < Minor(version) || ceiling > Minor(version)+1 {
		return Updates{ProblemReason: "VersionNotFound", Problem: fmt.Sprintf(
			"Unable to retrieve available updates: currently reconciling cluster version %s not found in the %q channel",
			version, channel)}
	}
	u := Updates{Available: []configv1.Release{}}
	for minor := Minor(version); minor <= Minor(version)+1; minor++ {
		for _, kind := range []string{"candidate", "fast", "stable"} {
			u.Channels = append(u.Channels, fmt.Sprintf("%s-4.%d", kind, minor))
		}
	}
	for i := len(known) - 1; i >= 0; i-- { // the newest first, as the real list comes
		to := known[i]
		if !Newer(to.Version, version) || Minor(to.Version) > ceiling || strings.Contains(to.Version, "-") &&
			m[1] != "candidate" {
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
			// A time that does not move: the risk holds for every cluster, and always did.
			LastTransitionTime: metav1.Unix(1735689600, 0),
		}},
	}
}

// shortNumber is a number of an erratum. Guess: any four digits do.
func shortNumber(version string) string {
	return fmt.Sprintf("%d%02d", 10+Minor(version), Patch(version))
}
