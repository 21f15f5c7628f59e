package profile

import (
	"fmt"
	"slices"
)

// MCEChannel is one channel of multicluster-engine and the behaviour of its operator.
type MCEChannel struct {
	// Name is the channel, such as stable-2.10.
	Name string
	// Versions are the operator versions in it, oldest first.
	Versions []string
	// Version is the newest of Versions, or the argument of MCEByVersion.
	Version string
	// Component is the name of the hypershift entry in spec.overrides.components: hypershift-preview before 2.4.
	Component string
	// ComponentDefault reports whether that component is on by default (2.4 and later).
	ComponentDefault bool
	// HyperShift is the version of its HyperShift operator: MinorNumber of its OpenShift, or NewestHyperShift.
	HyperShift int
	// HostedVersions are the minors in ConfigMap hypershift/supported-versions, newest first.
	HostedVersions []string
	// LeastOnKubeVirt is the oldest minor that it creates on KubeVirt; HostedVersions may have older ones.
	LeastOnKubeVirt string
	// ValidatesInfra reports whether its HyperShift operator requires KubeVirt >= 1.0.0 and Kubernetes >= 1.27 (2.5 and
	// later).
	ValidatesInfra bool
	// DefaultingWebhook and ValidatingWebhook are the admission webhooks of its HyperShift operator: none before 2.4,
	// the defaulting one in 2.4, both from 2.5 on.
	DefaultingWebhook, ValidatingWebhook bool
	// ACMChannel and ACMVersions are those of the Advanced Cluster Management that installs this MCE.
	ACMChannel  string
	ACMVersions []string
}

// NewestHyperShift is the HyperShift after OpenShift 5.1, newer than any that a multicluster-engine brings.
const NewestHyperShift = 100

// MCE returns the default channel, which a new Subscription without spec.channel follows.
func (p Profile) MCE() MCEChannel { return p.MCEChannels[len(p.MCEChannels)-1] }

// MCEByVersion returns the channel that has the given operator version.
func (p Profile) MCEByVersion(version string) (MCEChannel, bool) {
	for _, c := range p.MCEChannels {
		if slices.Contains(c.Versions, version) {
			c.Version = version
			return c, true
		}
	}
	return MCEChannel{}, false
}

// BroughtBy reports whether that version of Advanced Cluster Management installs this MCE.
func (c MCEChannel) BroughtBy(version string) bool { return slices.Contains(c.ACMVersions, version) }

// hyperShifts are those of multicluster-engine from 2.17, which comes after 2.11. Advanced Cluster Management has the
// same numbers from then on.
var hyperShifts = map[string]int{"2.17": 22, "5.0": first5, "5.1": first5 + 1}

// mce returns a minor version of multicluster-engine, from the version matrix in the vendor's documents and the
// defaults in its code. Each channel has two releases, so that startingCSV and upgrades can be tested. Their patch
// levels are made up.
func mce(v string) MCEChannel {
	var y int
	acm := v
	if newest, ok := hyperShifts[v]; ok {
		y = newest - 10
	} else if _, err := fmt.Sscanf(v, "2.%d", &y); err == nil {
		acm = minor(2, y+5)
	}
	c := MCEChannel{
		Name: "stable-" + v, Versions: []string{v + ".0", v + ".1"}, Version: v + ".1",
		Component: "hypershift", ComponentDefault: true, ValidatesInfra: y >= 5,
		DefaultingWebhook: y >= 4, ValidatingWebhook: y >= 5,
		// Advanced Cluster Management 2.Y+5 installs multicluster-engine 2.Y, and from 2.17 that of its own number.
		ACMChannel: "release-" + acm, ACMVersions: []string{acm + ".0", acm + ".1"},
	}
	// Its HyperShift is that of OpenShift 4.Y+10, and that of 2.2 has 4.13 already. It lists the two minors before its
	// own, in 2.6 those from 4.13 on, later those from 4.14 on (support/supportedversion). From 4.23 on that is the same
	// list in all branches, up to 5.1.
	newest := max(y+10, 13)
	c.HyperShift = newest
	oldest := newest - 2
	if y >= 6 {
		oldest = min(y+7, 14)
	}
	if newest >= first5 {
		newest = first5 + 1
	}
	for hosted := newest; hosted >= oldest; hosted-- {
		names := MinorNames(hosted)
		slices.Reverse(names)
		c.HostedVersions = append(c.HostedVersions, names...)
	}
	c.LeastOnKubeVirt = minor(4, 14)
	if y < 4 {
		c.Component, c.ComponentDefault = "hypershift-preview", false
		c.LeastOnKubeVirt = minor(4, oldest)
	}
	return c
}
