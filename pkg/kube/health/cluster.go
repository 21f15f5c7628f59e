package health

import (
	"cmp"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeOperator judges a ClusterOperator. What is degraded says why it is not available, or will not be.
func judgeOperator(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Hint = hint.New("oc describe clusteroperator %s", u.GetName())
	find := func(t configv1.ClusterStatusConditionType) kube.Condition {
		return kube.FindCondition(kube.Conditions(u), string(t))
	}
	available, degraded := find(configv1.OperatorAvailable), find(configv1.OperatorDegraded)
	switch progressing, upgradeable := find(configv1.OperatorProgressing), find(configv1.OperatorUpgradeable); {
	case available.Status == "":
		return v.with(step.StatePending, notReported, "it has not reported yet")
	case degraded.True():
		return v.because(step.StatePending, degraded).inTrouble()
	case available.False():
		return v.because(step.StatePending, available).inTrouble()
	case !available.True():
		return v.because(step.StatePending, available)
	case progressing.True():
		return v.because(step.StatePending, progressing)
	case degraded.Status == "Unknown":
		return v.because(step.StateWarning, degraded)
	case upgradeable.False():
		return v.because(step.StateWarning, upgradeable)
	}
	v.Since = available.LastTransitionTime
	return v
}

// OperatorCondition returns a condition of a ClusterOperator or ClusterVersion. If there is none, only Type is set.
func OperatorCondition(all []configv1.ClusterOperatorStatusCondition, t configv1.ClusterStatusConditionType,
) kube.Condition {
	for _, c := range all {
		if c.Type == t {
			return kube.Condition{Type: string(t), Status: string(c.Status), Reason: c.Reason, Message: c.Message,
				LastTransitionTime: c.LastTransitionTime.Time}
		}
	}
	return kube.Condition{Type: string(t)}
}

// Working is Of for those to whom a roll-out or a warning does not matter: it is OK as long as the operator is
// available and not degraded.
func Working(o *configv1.ClusterOperator) Verdict {
	v := Of(o, time.Time{})
	if !v.Trouble && OperatorCondition(o.Status.Conditions, configv1.OperatorAvailable).True() {
		v.Finding = step.OK("").On("%s", v.Object)
	}
	return v
}

// judgeManagedCluster judges a ManagedCluster as its hub sees it: accepted, joined, and available by its Lease.
func judgeManagedCluster(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	conditions := kube.Conditions(u)
	v.Hint = hint.New("oc describe managedcluster %s", u.GetName())
	accepted := kube.FindCondition(conditions, clusterv1.ManagedClusterConditionHubAccepted)
	joined := kube.FindCondition(conditions, clusterv1.ManagedClusterConditionJoined)
	available := kube.FindCondition(conditions, clusterv1.ManagedClusterConditionAvailable)
	switch {
	case !kube.Flag(u, "spec", "hubAcceptsClient") || accepted.False():
		v.Since = accepted.LastTransitionTime
		return v.with(step.StatePending, cmp.Or(accepted.Reason, "NotAccepted"), "the hub does not accept it: "+
			"hubAcceptsClient is %t", kube.Flag(u, "spec", "hubAcceptsClient")).inTrouble()
	case !joined.True():
		return v.because(step.StatePending, joined)
	case available.Status == "":
		return v.because(step.StatePending, available)
	case !available.True():
		return v.because(step.StatePending, available).inTrouble()
	}
	v.Since = available.LastTransitionTime
	return v
}

// judgeAddOn judges a ManagedClusterAddOn: its agent has to be there, and its Lease to be renewed.
func judgeAddOn(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	conditions := kube.Conditions(u)
	v.Hint = hint.New("oc describe managedclusteraddon %s -n %s", u.GetName(), u.GetNamespace())
	if c := kube.FindCondition(conditions, "Degraded"); c.True() {
		return v.because(step.StatePending, c).inTrouble()
	}
	available := kube.FindCondition(conditions, "Available")
	if available.True() {
		v.Since = available.LastTransitionTime
		return v
	}
	for _, t := range []string{"RegistrationApplied", "ManifestApplied"} {
		if c := kube.FindCondition(conditions, t); c.False() {
			return v.because(step.StatePending, c).inTrouble()
		}
	}
	v = v.because(step.StatePending, available)
	v.Trouble = available.Status != ""
	return v
}
