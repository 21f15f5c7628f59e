package olm

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Operator is one row of the table of operators: the facts that OLM does not report, or only after the installation.
type Operator struct {
	// Title is the product's name in messages.
	Title string
	// Package is the OLM package. Subscriptions are found by it, not by their name.
	Package string
	// aliases are packages of the same operator from other sources, such as the community. An existing Subscription to one
	// is kept.
	aliases []string
	// Namespace is the namespace if the bundle suggests none.
	Namespace string
	// shared is the namespace for all operators. If it is set, a bundle that suggests no namespace is installed there
	// instead of in Namespace.
	shared string
	// CSVPrefix is the name prefix of the operator's ClusterServiceVersions.
	CSVPrefix string
	// channel chooses one of the offered channels for the OpenShift version.
	channel channelRule
	// wants describes the channel that fits, for a package that no catalog offers. Nil means stable.
	wants func(openShift *semver.Version) string
	// community means that the package is in the community's index, not in Red Hat's.
	community bool
	// brings are name prefixes of the dependencies that its InstallPlan may install too.
	brings []string
	// webhook names a MutatingWebhookConfiguration that the operator makes and leaves behind. Without the operator it
	// blocks ClusterServiceVersions in the namespace, because nothing answers it.
	webhook string
	// leaves are other objects that stay in its namespace and are useless without it, as "Kind name".
	leaves []string
	// Pin is the user's choice, which overrides discovery.
	Pin Pin
}

// Operators returns all operators that hcctl installs. A user can pin each of them.
func Operators() []Operator {
	return []Operator{LocalStorage(), DataFoundation(), LVMStorage(), Virtualization(), CommunityVirtualization(),
		MetalLB(), MulticlusterEngine(), GitOps()}
}

// Pinned returns the row with the pin for its package, if there is one.
func (op Operator) Pinned(pins Pins) Operator {
	op.Pin = pins[op.Package]
	return op
}

// channelRule chooses a channel from the package's default and all its channels. The error says why none fits.
type channelRule func(defaultChannel string, channels []string, openShift *semver.Version) (string, error)

// LocalStorage returns the Local Storage Operator. The facts of all operators are from Red Hat's documents and the
// bundles of OpenShift 4.12 to 4.21.
func LocalStorage() Operator {
	return Operator{Title: "Local Storage Operator", Package: "local-storage-operator",
		Namespace: "openshift-local-storage", CSVPrefix: "local-storage-operator.v", channel: defaultChannel}
}

// DataFoundation returns OpenShift Data Foundation.
func DataFoundation() Operator {
	return Operator{Title: "OpenShift Data Foundation", Package: "odf-operator", Namespace: "openshift-storage",
		CSVPrefix: "odf-operator.v", channel: stableOfMinor, wants: channelOfMinor,
		brings: []string{"ocs-operator.v", "mcg-operator.v", "noobaa-operator.v", "rook-ceph-operator.v",
			"odf-csi-addons-operator.v", "cephcsi-operator.v",
			"ocs-client-operator.v", "odf-prometheus-operator.v", "recipe.v", "odf-dependencies.v",
			// From 4.20 on.
			"odf-external-snapshotter-operator.v", "cnsa-dependencies.v"},
		// From 4.19 on.
		webhook: "csv.odf.openshift.io", leaves: []string{"Service odf-operator-webhook-server-service"}}
}

// LVMStorage returns LVM Storage.
func LVMStorage() Operator {
	return Operator{Title: "LVM Storage", Package: "lvms-operator", Namespace: "openshift-lvm-storage",
		CSVPrefix: "lvms-operator.v", channel: stableOfMinor, wants: channelOfMinor}
}

// Virtualization returns OpenShift Virtualization.
func Virtualization() Operator {
	return Operator{Title: "OpenShift Virtualization", Package: virtualizationPackage,
		aliases:   []string{communityVirtualizationPackage},
		Namespace: "openshift-cnv", CSVPrefix: "kubevirt-hyperconverged-operator.v", channel: defaultChannel}
}

// CommunityVirtualization returns the community's build of the same operator, which can only watch all namespaces.
func CommunityVirtualization() Operator {
	return Operator{Title: "KubeVirt HyperConverged (community)", Package: communityVirtualizationPackage,
		aliases:   []string{virtualizationPackage},
		Namespace: "kubevirt-hyperconverged", CSVPrefix: "kubevirt-hyperconverged-operator.v", channel: defaultChannel,
		community: true}
}

// The packages of the HyperConverged operator: Red Hat's and the community's.
const (
	virtualizationPackage          = "kubevirt-hyperconverged"
	communityVirtualizationPackage = "community-kubevirt-hyperconverged"
)

// MetalLB returns the MetalLB Operator.
func MetalLB() Operator {
	return Operator{Title: "MetalLB Operator", Package: "metallb-operator", Namespace: "metallb-system",
		CSVPrefix: "metallb-operator.v", channel: defaultChannel}
}

// MulticlusterEngine returns multicluster engine.
func MulticlusterEngine() Operator {
	return Operator{Title: "multicluster engine", Package: "multicluster-engine", Namespace: "multicluster-engine",
		CSVPrefix: "multicluster-engine.v", channel: newestEngine, wants: channelsOfEngine}
}

// GitOps returns OpenShift GitOps. Its bundles up to 1.9 suggest no namespace (contracts/gitops.yaml).
func GitOps() Operator {
	return Operator{Title: "OpenShift GitOps", Package: "openshift-gitops-operator",
		Namespace: "openshift-gitops-operator", shared: "openshift-operators",
		CSVPrefix: "openshift-gitops-operator.v", channel: defaultChannel}
}

func defaultChannel(preset string, channels []string, _ *semver.Version) (string, error) {
	if preset == "" {
		return "", fmt.Errorf("the package has no default channel; it offers %s", prereq.Listed(channels))
	}
	return preset, nil
}
