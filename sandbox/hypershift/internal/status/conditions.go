// Package status writes conditions as HyperShift does, and reads the field that pauses reconciliation.
package status

import (
	"strconv"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition types newer than the API module that this sandbox uses.
const (
	CondDataPlaneConnection    = "DataPlaneConnectionAvailable"
	CondControlPlaneConnection = "ControlPlaneConnectionAvailable"
	CondConfigOperator         = "ConfigOperatorReconciliationSucceeded"
	CondEtcdBackup             = "EtcdBackupSucceeded"
	CondValidProxy             = "ValidProxyConfiguration"
	CondAutoNode               = "AutoNodeEnabled"
	CondDataEncryption         = "EtcdDataEncryptionUpToDate"
)

// Condition is a status condition without a time.
type Condition struct {
	Kind    string
	Status  metav1.ConditionStatus
	Reason  string
	Message string
}

// True is a condition with status True and reason AsExpected.
func True(kind hyperv1.ConditionType, message string) Condition {
	return Condition{string(kind), metav1.ConditionTrue, hyperv1.AsExpectedReason, message}
}

// False is a condition with status False.
func False(kind hyperv1.ConditionType, reason, message string) Condition {
	return Condition{string(kind), metav1.ConditionFalse, reason, message}
}

// Unknown is a condition with status Unknown and reason StatusUnknown.
func Unknown(kind hyperv1.ConditionType, message string) Condition {
	return Condition{string(kind), metav1.ConditionUnknown, hyperv1.StatusUnknownReason, message}
}

// Set writes c. The time stays if the status stays.
func Set(conditions *[]metav1.Condition, generation int64, c Condition) {
	meta.SetStatusCondition(conditions, metav1.Condition{
		Type: c.Kind, Status: c.Status, Reason: c.Reason, Message: c.Message, ObservedGeneration: generation,
	})
}

// ReconciliationActive returns the condition ReconciliationActive for a pausedUntil field, of HostedClusters and their
// control planes.
func ReconciliationActive(pausedUntil *string, now time.Time) Condition {
	paused, err := Paused(pausedUntil, now)
	switch {
	case paused:
		return False(hyperv1.ReconciliationActive, hyperv1.ReconciliationPausedConditionReason, pausedMessage(*pausedUntil))
	case err != nil:
		return Condition{
			string(hyperv1.ReconciliationActive), metav1.ConditionTrue,
			hyperv1.ReconciliationInvalidPausedUntilConditionReason, msgPausedInvalid,
		}
	}
	return True(hyperv1.ReconciliationActive, msgReconciliationActive)
}

func pausedMessage(pausedUntil string) string {
	if _, err := strconv.ParseBool(pausedUntil); err == nil {
		return msgPausedUntilRemoved
	}
	return msgPausedUntil(pausedUntil)
}

// Paused reads a pausedUntil field: a boolean, or a time in the future.
func Paused(pausedUntil *string, now time.Time) (bool, error) {
	if pausedUntil == nil {
		return false, nil
	}
	if until, err := time.Parse(time.RFC3339, *pausedUntil); err == nil {
		return until.After(now), nil
	}
	return strconv.ParseBool(*pausedUntil)
}

// ResumesIn returns the rest of a pause with a time, or 0.
func ResumesIn(pausedUntil *string, now time.Time) time.Duration {
	if pausedUntil == nil {
		return 0
	}
	until, err := time.Parse(time.RFC3339, *pausedUntil)
	if err != nil {
		return 0
	}
	return max(0, until.Sub(now))
}
