package reconciler

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// Feature is something that not every version of the HyperShift operator has, and that is no condition.
type Feature string

// The features, besides the types of conditions.
const (
	// Components are the ControlPlaneComponent objects, and Job featuregate-generator.
	Components Feature = "ControlPlaneComponent"
	// ComponentsAwaited is Available's reason ComponentsNotAvailable.
	ComponentsAwaited Feature = "ComponentsNotAvailable"
	// ControlPlaneVersion is the field status.controlPlaneVersion.
	ControlPlaneVersion Feature = "controlPlaneVersion"
	// NodeCIDRs is the field networking.allocateNodeCIDRs, and its default.
	NodeCIDRs Feature = NodeCIDRsField
	// NodesInfo is the field status.nodesInfo of NodePools.
	NodesInfo Feature = "nodesInfo"
	// DeprecationPolicy and RotationPolicy are ValidatingAdmissionPolicies.
	DeprecationPolicy Feature = "hypershift.openshift.io-deprecation-policy"
	RotationPolicy    Feature = "hostedcluster-block-key-rotation-during-reencryption"
	// TopologySpread is the annotation of NodePools whose machines are spread over the nodes.
	TopologySpread Feature = "nodepool-supports-kubevirt-topology-spread-constraints"
	// ReferencedResources is the annotation of the Secrets that a HostedCluster names.
	ReferencedResources Feature = "referenced-resource"
	// CanonicalImages is the annotation of NodePools.
	CanonicalImages Feature = "canonical-data-plane-images"
	// Migrator is the component kube-storage-version-migrator, Marketplace the one redhat-marketplace-catalog.
	Migrator    Feature = "kube-storage-version-migrator"
	Marketplace Feature = "redhat-marketplace-catalog"
	// ReleaseByDigest: the cluster version operator gets its release by the digest. Source: GetDigest in the control plane
	// operator.
	ReleaseByDigest Feature = "GetDigest"
	// IgnitionLate: the ignition server waits for the hosted API server.
	IgnitionLate Feature = "ignition-server"
	// PoolConditionsShuffled: the operator looks at a NodePool's conditions in another order each time, so that in the end
	// those are there, too, that come after the one that it waits for. Source: signalConditions in
	// hypershift-operator/controllers/nodepool, a Go map.
	PoolConditionsShuffled Feature = "signalConditions"
	// TimedOut is the reason of CloudResourcesDestroyed when the operator gives up on what the guest left; before, it
	// gives up without a word.
	TimedOut Feature = "CloudResourcesDeletionTimedOut"
	// NodesAggregated is the message of AllNodesHealthy that begins with the number of machines.
	NodesAggregated Feature = "aggregateMachineReasonsAndMessages"
)

// NodeCIDRsField is a field of spec.networking.
const NodeCIDRsField = "allocateNodeCIDRs"

// since is the first version of the operator with a condition or a feature: the Y of release-4.Y in its repository.
// What is not here, every version has.
var since = map[string]int{
	string(hyperv1.ValidIDPConfiguration):             14,
	string(hyperv1.ValidReleaseInfo):                  14,
	string(hyperv1.KubeVirtNodesLiveMigratable):       17,
	string(TopologySpread):                            17,
	string(hyperv1.ClusterVersionRetrievedUpdates):    18,
	string(Components):                                19,
	hyperv1.NodePoolValidPlatformConfigConditionType:  19,
	string(ComponentsAwaited):                         20,
	string(IgnitionLate):                              19,
	string(PoolConditionsShuffled):                    18,
	string(ReleaseByDigest):                           17,
	string(hyperv1.HostedClusterRestoredFromBackup):   20,
	string(ReferencedResources):                       20,
	status.CondDataPlaneConnection:                    21,
	hyperv1.NodePoolSupportedVersionSkewConditionType: 21,
	string(DeprecationPolicy):                         21,
	status.CondControlPlaneConnection:                 22,
	status.CondEtcdBackup:                             22,
	status.CondValidProxy:                             22,
	status.CondAutoNode:                               22,
	status.CondDataEncryption:                         22,
	string(Migrator):                                  22,
	string(ControlPlaneVersion):                       22, // later also in patches of 4.20 and 4.21
	string(NodeCIDRs):                                 22,
	string(NodesInfo):                                 22,
	string(RotationPolicy):                            22,
	status.CondConfigOperator:                         23,
	string(CanonicalImages):                           23,
	string(NodesAggregated):                           23,
	string(TimedOut):                                  23,
}

// until is the last version with a feature.
var until = map[Feature]int{Marketplace: 21, IgnitionLate: 20, PoolConditionsShuffled: 21}

// Reports reports whether the operator writes conditions of that type.
func (g Features) Reports(condition string) bool { return g.HyperShift >= since[condition] }

// Has reports whether the operator has a feature.
func (g Features) Has(f Feature) bool {
	last, gone := until[f]
	return g.HyperShift >= since[string(f)] && (!gone || g.HyperShift <= last)
}
