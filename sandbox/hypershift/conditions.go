package hypershift

import (
	"strconv"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
