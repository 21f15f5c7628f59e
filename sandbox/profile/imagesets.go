package profile

import (
	"fmt"
	"slices"
)

// ImageSet is one ClusterImageSet that multicluster-engine brings to a cluster.
type ImageSet struct {
	// Name is the object's name, such as img4.20.3-multi-appsub.
	Name string
	// Channel is its label channel: fast, stable or candidate.
	Channel string
	// Visible is its label visible. The console offers only visible ones.
	Visible bool
	// ReleaseImage is its release image.
	ReleaseImage string
}

// patches lists the patches of each minor with a ClusterImageSet, oldest first, a selection of the real repository's
// (stolostron/acm-hive-openshift-releases). The rc and those of 4.21 and later are made up: they were not out when this
// was written. 23 has these patches under both of its names.
var patches = map[int][]string{
	10: {"67"}, 11: {"54", "59"}, 12: {"1", "45", "60"}, 13: {"6", "40"}, 14: {"0", "34", "38"}, 15: {"3", "44"},
	16: {"11", "21", "37"}, 17: {"9", "27"}, 18: {"9", "18"}, 19: {"4", "16"}, 20: {"1", "3", "8"}, 21: {"1", "4"},
	22: {"0-rc.1", "0", "2"}, 23: {"0", "1"}, 24: {"0", "1"},
}

// ImageSets returns the ClusterImageSets of a cluster with this multicluster-engine, from the oldest minor its
// HyperShift can create to one minor above the newest, each for x86_64 and multi. A cluster without access to the
// vendor's repository has none: its administrator makes them.
//
// The channels are simplified. The real controller follows one channel, fast by default, and keeps older ones; here the
// newest of each minor is fast, those before it stable, and a release candidate is in candidate.
//
// The newest two of a minor are visible.
func (p Profile) ImageSets(c MCEChannel) []ImageSet {
	if p.Mirror != nil {
		return nil
	}
	newest, oldest := MinorNumber(c.HostedVersions[0]), MinorNumber(c.HostedVersions[len(c.HostedVersions)-1])
	var out []ImageSet
	var names []string
	for y := oldest; y <= newest+1; y++ {
		names = append(names, MinorNames(y)...)
	}
	for _, minor := range names {
		all := slices.Clone(patches[MinorNumber(minor)])
		slices.Reverse(all)
		for i, patch := range all {
			channel := "stable"
			switch {
			case len(patch) > 2:
				channel = "candidate"
			case i == 0:
				channel = "fast"
			}
			version := minor + "." + patch
			for name, tag := range map[string]string{"x86-64": "x86_64", "multi": "multi"} {
				out = append(out, ImageSet{
					Name: fmt.Sprintf("img%s-%s-appsub", version, name), Channel: channel, Visible: i < 2,
					ReleaseImage: fmt.Sprintf("quay.io/openshift-release-dev/ocp-release:%s-%s", version, tag),
				})
			}
		}
	}
	return out
}
