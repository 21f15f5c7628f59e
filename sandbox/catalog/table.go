package catalog

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// The default CatalogSources of OpenShift that the sandbox fills.
const (
	RedHat    = "redhat-operators"
	Community = "community-operators"
)

// offer is one row of the table: a package of a catalog.
type offer struct {
	catalog, pkg string
	// operator names the file under operators/ that the bundles are made from.
	operator       string
	defaultChannel string
	channels       []offeredChannel
	// suggestedNamespace overrides the one in the operator's file.
	suggestedNamespace string
	// without lists CRD sets of the operator's file that these versions do not own.
	without []string
}

// offeredChannel lists the versions in a channel, oldest first.
type offeredChannel struct {
	name     string
	versions []string
}

// offers returns the contents of the catalogs of a profile's OpenShift. Every channel that follows the OpenShift minor
// has two patch releases, so that startingCSV and upgrades can be tested.
//
// Patch levels and build dates are made up, because the shipped catalogs are not public. The vendors' documents have
// the form of the versions and the channels.
func offers(p profile.Profile) ([]offer, error) {
	minor, y := p.Minor(), p.Y()
	if y < 0 {
		return nil, fmt.Errorf("profile %s: OpenShift %q is neither 4 nor 5", p.Name, p.OpenShift)
	}
	// Local Storage, MetalLB and Data Foundation have one branch for 4.23 and 5.0. The bundles of the first two have the
	// number 5.0; that Data Foundation's has it is assumed.
	joint := profile.MinorName(y)
	// Operators of the payload's release trains have their build date as a pre-release: 4.20.0-202510212154.
	dated := []string{joint + ".0-202510212154", joint + ".0-202511181227"}
	patches := []string{minor + ".0", minor + ".1"}
	rhodf := []string{joint + ".0-rhodf", joint + ".1-rhodf"}
	stableMinor, stableJoint := "stable-"+minor, "stable-"+joint

	lvmsNamespace := "openshift-storage"
	if y >= 20 { // the namespace changed with 4.20
		lvmsNamespace = "openshift-lvm-storage"
	}
	var withoutInODF []string
	withoutInOCS := []string{"ocs-consumer"}
	if y >= 19 { // odf-operator's bundle lacks StorageSystem since 4.19
		withoutInODF, withoutInOCS = []string{"odf"}, nil
	}
	mce := offer{catalog: RedHat, pkg: "multicluster-engine", operator: "multicluster-engine"}
	acm := offer{catalog: RedHat, pkg: "advanced-cluster-management", operator: "advanced-cluster-management"}
	for _, c := range p.MCEChannels {
		mce.channels = append(mce.channels, offeredChannel{c.Name, c.Versions})
		mce.defaultChannel = c.Name
		acm.channels = append(acm.channels, offeredChannel{c.ACMChannel, c.ACMVersions})
		acm.defaultChannel = c.ACMChannel
	}
	out := []offer{
		{catalog: RedHat, pkg: "local-storage-operator", operator: "local-storage-operator",
			defaultChannel: "stable", channels: []offeredChannel{{"stable", dated}}},
		{catalog: RedHat, pkg: "odf-operator", operator: "odf-operator", without: withoutInODF,
			defaultChannel: stableJoint, channels: []offeredChannel{{stableJoint, rhodf}}},
		{catalog: RedHat, pkg: "ocs-operator", operator: "ocs-operator", without: withoutInOCS,
			defaultChannel: stableJoint, channels: []offeredChannel{{stableJoint, rhodf}}},
		{catalog: RedHat, pkg: "lvms-operator", operator: "lvms-operator", suggestedNamespace: lvmsNamespace,
			defaultChannel: stableMinor, channels: []offeredChannel{{stableMinor, patches}}},
		{catalog: RedHat, pkg: "kubevirt-hyperconverged", operator: "kubevirt-hyperconverged", defaultChannel: "stable",
			channels: []offeredChannel{{"candidate", patches}, {"dev-preview", patches}, {"stable", patches}}},
		{catalog: RedHat, pkg: "metallb-operator", operator: "metallb-operator",
			defaultChannel: "stable", channels: []offeredChannel{{"stable", dated}}},
		gitOps(y),
		mce,
		acm,
		communityHCO(y),
	}
	if y >= 19 { // what the simulated odf-operator brings along (datafoundation)
		for _, pkg := range []string{"odf-dependencies", "ocs-client-operator"} {
			out = append(out, offer{catalog: RedHat, pkg: pkg, operator: pkg, defaultChannel: stableJoint,
				channels: []offeredChannel{{stableJoint, rhodf}}})
		}
	}
	return out, nil
}

// gitOps follows no OpenShift: each catalog has the releases that Red Hat supports on it. Which, is assumed.
func gitOps(y int) offer {
	minor := "1.18"
	if y < 14 {
		minor = "1.14"
	}
	versions := []string{minor + ".0", minor + ".1"}
	return offer{catalog: RedHat, pkg: "openshift-gitops-operator", operator: "openshift-gitops-operator",
		defaultChannel: "latest", channels: []offeredChannel{{"gitops-" + minor, versions}, {"latest", versions}}}
}

// communityHCO is the upstream build, whose minor is OpenShift's minus 4. On 4.20 and 4.21 there is also a candidate
// release that serves HyperConverged v1, too. The channel heads are made up.
func communityHCO(y int) offer {
	own := fmt.Sprintf("1.%d.0", y-4)
	o := offer{catalog: Community, pkg: "community-kubevirt-hyperconverged", operator: "community-kubevirt-hyperconverged",
		defaultChannel: "stable"}
	versions := []string{own}
	if y >= 20 && y < 22 {
		versions = append(versions, "1.18.0")
	}
	for _, v := range versions {
		o.channels = append(o.channels, offeredChannel{v, []string{v}},
			offeredChannel{"candidate-v" + strings.TrimSuffix(v, ".0"), []string{v}})
	}
	o.channels = append(o.channels, offeredChannel{"stable", []string{own}})
	return o
}
