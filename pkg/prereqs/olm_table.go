package prereqs

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

// operator is one row of the table of operators: what OLM cannot tell, or only once the operator is installed.
type operator struct {
	// title is the product's name in messages.
	title string
	// pkg is the OLM package, by which Subscriptions are found whatever they are called.
	pkg string
	// aliases are packages of the same operator by others, such as the community's: one that is subscribed to is kept.
	aliases []string
	// namespace is where it goes if its bundle suggests none.
	namespace string
	// csv begins the name of its ClusterServiceVersions.
	csv string
	// channel picks one of the channels on offer for the OpenShift version.
	channel channelRule
	// wants describes the channel that fits, where no catalog has the package. Nil means stable.
	wants func(openShift *semver.Version) string
	// community means the package is in the community's index, not in Red Hat's.
	community bool
	// brings begin the names of the ClusterServiceVersions it may bring along in its own InstallPlan.
	brings []string
	// pin is what a person wants of it, over what discovery finds.
	pin OperatorOptions
}

// rows are all operators hcctl installs: those a person can pin.
func rows() []operator {
	return []operator{localStorageRow(), dataFoundationRow(), lvmRow(), virtualizationRow(), communityVirtualizationRow(), metalLBRow(), multiclusterRow()}
}

// pinned is the row with the pin for its package, if there is one.
func (op operator) pinned(pins operatorPins) operator {
	op.pin = pins[op.pkg]
	return op
}

// channelRule picks a channel from the package's default and all its channels, or says why none fits.
type channelRule func(defaultChannel string, channels []string, openShift *semver.Version) (string, error)

// The operators, from Red Hat's documents and the bundles of OpenShift 4.12 to 4.21.
func localStorageRow() operator {
	return operator{title: "Local Storage Operator", pkg: "local-storage-operator", namespace: "openshift-local-storage", csv: "local-storage-operator.v", channel: defaultChannel}
}

func dataFoundationRow() operator {
	return operator{title: "OpenShift Data Foundation", pkg: "odf-operator", namespace: "openshift-storage", csv: "odf-operator.v", channel: stableOfMinor, wants: channelOfMinor,
		brings: []string{"ocs-operator.v", "mcg-operator.v", "noobaa-operator.v", "rook-ceph-operator.v", "odf-csi-addons-operator.v", "cephcsi-operator.v",
			"ocs-client-operator.v", "odf-prometheus-operator.v", "recipe.v", "odf-dependencies.v"}}
}

func lvmRow() operator {
	return operator{title: "LVM Storage", pkg: "lvms-operator", namespace: "openshift-lvm-storage", csv: "lvms-operator.v", channel: stableOfMinor, wants: channelOfMinor}
}

func virtualizationRow() operator {
	return operator{title: "OpenShift Virtualization", pkg: virtualizationPackage, aliases: []string{communityVirtualizationPackage},
		namespace: "openshift-cnv", csv: "kubevirt-hyperconverged-operator.v", channel: defaultChannel}
}

// communityVirtualizationRow is the community's build of the same operator, which can only watch all namespaces.
func communityVirtualizationRow() operator {
	return operator{title: "KubeVirt HyperConverged (community)", pkg: communityVirtualizationPackage, aliases: []string{virtualizationPackage},
		namespace: "kubevirt-hyperconverged", csv: "kubevirt-hyperconverged-operator.v", channel: defaultChannel, community: true}
}

// The packages of the HyperConverged operator: Red Hat's and the community's.
const (
	virtualizationPackage          = "kubevirt-hyperconverged"
	communityVirtualizationPackage = "community-kubevirt-hyperconverged"
)

func metalLBRow() operator {
	return operator{title: "MetalLB Operator", pkg: "metallb-operator", namespace: "metallb-system", csv: "metallb-operator.v", channel: defaultChannel}
}

func multiclusterRow() operator {
	return operator{title: "multicluster engine", pkg: "multicluster-engine", namespace: "multicluster-engine", csv: "multicluster-engine.v", channel: newestEngine, wants: channelsOfEngine}
}

func defaultChannel(preset string, channels []string, _ *semver.Version) (string, error) {
	if preset == "" {
		return "", fmt.Errorf("the package has no default channel; it offers %s", listed(channels))
	}
	return preset, nil
}
