package hostedcluster

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// hcpConditions are copied from the control plane to the HostedCluster.
var hcpConditions = []hyperv1.ConditionType{
	hyperv1.EtcdAvailable, hyperv1.KubeAPIServerAvailable, hyperv1.InfrastructureReady, hyperv1.ExternalDNSReachable,
	hyperv1.ValidHostedControlPlaneConfiguration, hyperv1.ValidReleaseInfo, hyperv1.ValidIDPConfiguration,
	hyperv1.HostedClusterRestoredFromBackup, status.CondDataPlaneConnection, status.CondControlPlaneConnection,
	status.CondEtcdBackup, status.CondConfigOperator,
}

// copyControlPlane copies the control plane's conditions to the HostedCluster. hcp is nil before it exists.
func copyControlPlane(g reconciler.Features, hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane) {
	find := func(kind hyperv1.ConditionType) *metav1.Condition {
		if hcp == nil {
			return nil
		}
		return meta.FindStatusCondition(hcp.Status.Conditions, string(kind))
	}
	put := func(c status.Condition) { status.Set(&hc.Status.Conditions, hc.Generation, c) }

	for _, kind := range []hyperv1.ConditionType{
		hyperv1.ClusterVersionSucceeding, hyperv1.ClusterVersionProgressing, hyperv1.ClusterVersionReleaseAccepted,
		hyperv1.ClusterVersionUpgradeable, hyperv1.ClusterVersionAvailable,
	} {
		source := kind
		if kind == hyperv1.ClusterVersionSucceeding {
			source = hyperv1.ClusterVersionFailing
		}
		c := find(source)
		if c == nil {
			put(status.Unknown(kind, status.MsgNotInCVO))
			continue
		}
		state := c.Status
		if source != kind {
			state = negated(state)
		}
		put(status.Condition{Kind: string(kind), Status: state, Reason: c.Reason, Message: c.Message})
	}

	if c := find(hyperv1.ClusterVersionRetrievedUpdates); c != nil && g.Reports(c.Type) {
		put(status.Condition{Kind: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message})
	}

	// A cluster without encrypted data has none.
	if c := find(status.CondDataEncryption); c != nil {
		put(status.Condition{Kind: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message})
	} else {
		meta.RemoveStatusCondition(&hc.Status.Conditions, status.CondDataEncryption)
	}

	switch c := find(hyperv1.HostedControlPlaneDegraded); {
	case c == nil:
		put(status.Unknown(hyperv1.HostedClusterDegraded, msgHCPNotFound))
	case c.Status == metav1.ConditionFalse:
		put(status.False(hyperv1.HostedClusterDegraded, c.Reason, msgNotDegraded))
	default:
		put(status.Condition{Kind: string(hyperv1.HostedClusterDegraded), Status: c.Status, Reason: c.Reason,
			Message: c.Message})
	}

	for _, kind := range hcpConditions {
		switch c := find(kind); {
		case !g.Reports(string(kind)):
		case hcp == nil:
			put(status.Unknown(kind, msgHCPNotFound))
		case c == nil:
			put(status.Unknown(kind, msgNotInHCP))
		default:
			put(status.Condition{Kind: string(kind), Status: c.Status, Reason: c.Reason, Message: c.Message})
		}
	}
}

func negated(s metav1.ConditionStatus) metav1.ConditionStatus {
	switch s {
	case metav1.ConditionTrue:
		return metav1.ConditionFalse
	case metav1.ConditionFalse:
		return metav1.ConditionTrue
	}
	return s
}

// availability returns the HostedCluster's Available: the control plane's, or the message of the gate that blocks its
// creation.
func availability(hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane) status.Condition {
	if hcp != nil {
		if c := meta.FindStatusCondition(hcp.Status.Conditions, string(hyperv1.HostedControlPlaneAvailable)); c != nil {
			if c.Status == metav1.ConditionTrue {
				return status.True(hyperv1.HostedClusterAvailable, msgAvailable)
			}
			return status.Condition{Kind: string(hyperv1.HostedClusterAvailable), Status: c.Status, Reason: c.Reason,
				Message: c.Message}
		}
	}
	message := msgWaitingForHealthy
	progressing := meta.FindStatusCondition(hc.Status.Conditions, string(hyperv1.HostedClusterProgressing))
	if progressing != nil && progressing.Reason == hyperv1.BlockedReason {
		message = progressing.Message
	}
	return status.False(hyperv1.HostedClusterAvailable, hyperv1.WaitingForAvailableReason, message)
}
