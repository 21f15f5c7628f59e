package hypershift

import (
	"strconv"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition types and reasons newer than the API module this sandbox is built with.
const (
	condDataPlaneConnection    = "DataPlaneConnectionAvailable"
	condControlPlaneConnection = "ControlPlaneConnectionAvailable"
	condEtcdBackup             = "EtcdBackupSucceeded"
	condConfigOperator         = "ConfigOperatorReconciliationSucceeded"
	condValidProxy             = "ValidProxyConfiguration"
	condAutoNode               = "AutoNodeEnabled"
)

// condition is one row of a status, before it has a time.
type condition struct {
	kind    string
	status  metav1.ConditionStatus
	reason  string
	message string
}

func isTrue(kind hyperv1.ConditionType, message string) condition {
	return condition{string(kind), metav1.ConditionTrue, hyperv1.AsExpectedReason, message}
}

func isFalse(kind hyperv1.ConditionType, reason, message string) condition {
	return condition{string(kind), metav1.ConditionFalse, reason, message}
}

func isUnknown(kind hyperv1.ConditionType, message string) condition {
	return condition{string(kind), metav1.ConditionUnknown, hyperv1.StatusUnknownReason, message}
}

// set writes c; a condition that says the same keeps its time.
func set(conditions *[]metav1.Condition, generation int64, c condition) {
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: c.kind, Status: c.status, Reason: c.reason, Message: c.message, ObservedGeneration: generation,
	})
}

// activeCondition is ReconciliationActive for a pausedUntil field, of HostedClusters and their control planes.
func activeCondition(pausedUntil *string, now time.Time) condition {
	paused, err := pausedAt(pausedUntil, now)
	switch {
	case paused:
		return isFalse(hyperv1.ReconciliationActive, hyperv1.ReconciliationPausedConditionReason, pausedMessage(*pausedUntil))
	case err != nil:
		return condition{
			string(hyperv1.ReconciliationActive), metav1.ConditionTrue,
			hyperv1.ReconciliationInvalidPausedUntilConditionReason, msgPausedInvalid,
		}
	}
	return isTrue(hyperv1.ReconciliationActive, msgReconciliationActive)
}

func pausedMessage(pausedUntil string) string {
	if _, err := strconv.ParseBool(pausedUntil); err == nil {
		return msgPausedUntilRemoved
	}
	return msgPausedUntil(pausedUntil)
}

// pausedAt reads a pausedUntil field: a boolean, or a time that has not come yet.
func pausedAt(pausedUntil *string, now time.Time) (bool, error) {
	if pausedUntil == nil {
		return false, nil
	}
	if until, err := time.Parse(time.RFC3339, *pausedUntil); err == nil {
		return until.After(now), nil
	}
	return strconv.ParseBool(*pausedUntil)
}

// resumesIn is how long a pause with a time still lasts, or 0.
func resumesIn(pausedUntil *string, now time.Time) time.Duration {
	if pausedUntil == nil {
		return 0
	}
	until, err := time.Parse(time.RFC3339, *pausedUntil)
	if err != nil {
		return 0
	}
	return max(0, until.Sub(now))
}

// hcpConditions are copied from the control plane to the HostedCluster.
func (g generation) hcpConditions() []hyperv1.ConditionType {
	kinds := []hyperv1.ConditionType{
		hyperv1.EtcdAvailable, hyperv1.KubeAPIServerAvailable, hyperv1.InfrastructureReady, hyperv1.ExternalDNSReachable,
		hyperv1.ValidHostedControlPlaneConfiguration, hyperv1.ValidReleaseInfo, hyperv1.ValidIDPConfiguration,
	}
	if g.modern {
		kinds = append(kinds, hyperv1.HostedClusterRestoredFromBackup, condDataPlaneConnection, condControlPlaneConnection,
			condEtcdBackup, condConfigOperator)
	}
	return kinds
}

// copyControlPlane brings what the control plane says over to the HostedCluster. hcp is nil before it exists.
func (g generation) copyControlPlane(hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane) {
	find := func(kind hyperv1.ConditionType) *metav1.Condition {
		if hcp == nil {
			return nil
		}
		return meta.FindStatusCondition(hcp.Status.Conditions, string(kind))
	}
	put := func(c condition) { set(&hc.Status.Conditions, hc.Generation, c) }

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
			put(isUnknown(kind, msgNotInCVO))
			continue
		}
		status := c.Status
		if source != kind {
			status = negated(status)
		}
		put(condition{string(kind), status, c.Reason, c.Message})
	}

	switch c := find(hyperv1.HostedControlPlaneDegraded); {
	case c == nil:
		put(isUnknown(hyperv1.HostedClusterDegraded, msgHCPNotFound))
	case c.Status == metav1.ConditionFalse:
		put(isFalse(hyperv1.HostedClusterDegraded, c.Reason, msgNotDegraded))
	default:
		put(condition{string(hyperv1.HostedClusterDegraded), c.Status, c.Reason, c.Message})
	}

	for _, kind := range g.hcpConditions() {
		switch c := find(kind); {
		case hcp == nil:
			put(isUnknown(kind, msgHCPNotFound))
		case c == nil:
			put(isUnknown(kind, msgNotInHCP))
		default:
			put(condition{string(kind), c.Status, c.Reason, c.Message})
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

// availability is the HostedCluster's Available: the control plane's, or the message of the gate that keeps it from
// being created.
func availability(hc *hyperv1.HostedCluster, hcp *hyperv1.HostedControlPlane) condition {
	if hcp != nil {
		if c := meta.FindStatusCondition(hcp.Status.Conditions, string(hyperv1.HostedControlPlaneAvailable)); c != nil {
			if c.Status == metav1.ConditionTrue {
				return isTrue(hyperv1.HostedClusterAvailable, msgAvailable)
			}
			return condition{string(hyperv1.HostedClusterAvailable), c.Status, c.Reason, c.Message}
		}
	}
	message := msgWaitingForHealthy
	progressing := meta.FindStatusCondition(hc.Status.Conditions, string(hyperv1.HostedClusterProgressing))
	if progressing != nil && progressing.Reason == hyperv1.BlockedReason {
		message = progressing.Message
	}
	return isFalse(hyperv1.HostedClusterAvailable, hyperv1.WaitingForAvailableReason, message)
}
