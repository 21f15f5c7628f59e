package health

import (
	"cmp"
	"fmt"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeOperator judges a ClusterOperator. Degraded comes first, because it has the reason why the operator is or will
// be unavailable.
func judgeOperator(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Hint = Describe(u)
	find := func(t configv1.ClusterStatusConditionType) kube.Condition {
		return kube.FindCondition(kube.Conditions(u), string(t))
	}
	available, degraded := find(configv1.OperatorAvailable), find(configv1.OperatorDegraded)
	switch progressing, upgradeable := find(configv1.OperatorProgressing), find(configv1.OperatorUpgradeable); {
	case available.Status == "":
		return v.with(step.StatePending, ReasonNotReported, "it has not reported yet")
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

// judgeVersion judges a ClusterVersion by the conditions and the newest update in its history.
func judgeVersion(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	find := func(t configv1.ClusterStatusConditionType) kube.Condition {
		return kube.FindCondition(kube.Conditions(u), string(t))
	}
	v.Hint = hint.New("oc adm upgrade")
	installed, target := "", ""
	for i, h := range kube.Maps(u, "status", "history") {
		version, _ := h["version"].(string)
		if h["state"] == string(configv1.CompletedUpdate) {
			installed = version
			break
		} else if i == 0 {
			target = version
		}
	}
	installed = cmp.Or(installed, kube.Text(u, "status", "desired", "version"))
	doing, word := "OpenShift "+installed, "being rolled out"
	if target != "" && target != installed {
		doing, word = fmt.Sprintf("the upgrade from OpenShift %s to %s", installed, target), "under way"
	}
	failing, available := find("Failing"), find(configv1.OperatorAvailable)
	switch progressing, upgradeable := find(configv1.OperatorProgressing), find(configv1.OperatorUpgradeable); {
	case !kube.Observed(u):
		v.Hint = hint.New("oc get pods -n openshift-cluster-version; oc adm upgrade")
		return v.with(step.StatePending, "NotObserved", "%s: the cluster version operator has not processed the newest "+
			"change of its ClusterVersion yet", doing)
	case failing.True():
		v.Since, v.Hint = failing.LastTransitionTime, hint.New("oc describe clusterversion version; oc get clusteroperators")
		return v.with(step.StatePending, cmp.Or(failing.Reason, failing.Type), "%s is failing (%s): %s", doing,
			failing.Reason, failing.Message).inTrouble()
	case available.False():
		return v.because(step.StatePending, available).inTrouble()
	case progressing.True():
		v.Since = progressing.LastTransitionTime
		return v.with(step.StatePending, cmp.Or(progressing.Reason, progressing.Type), "%s is %s: %s", doing, word,
			progressing.Message)
	case target != "":
		return v.with(step.StatePending, "Partial", "%s is not complete yet", doing)
	case !available.True():
		return v.with(step.StatePending, ReasonNotReported, "%s", available.Describe())
	case upgradeable.False():
		return v.because(step.StateWarning, upgradeable)
	}
	v.Since = available.LastTransitionTime
	return v
}

// judgeConfigPool judges a MachineConfigPool by the status of the machine config operator (OpenShift 4.12 and later).
func judgeConfigPool(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	find := func(t string) kube.Condition { return kube.FindCondition(kube.Conditions(u), t) }
	degraded, updated, paused := find(kube.ConditionDegraded), find("Updated"), kube.Flag(u, "spec", "paused")
	v.Since, v.Hint = updated.LastTransitionTime, Describe(u)
	if paused && !degraded.True() {
		v.Hint = hint.New(`oc patch machineconfigpool %s --type=merge -p '{"spec":{"paused":false}}', and wait for it`,
			u.GetName())
	}
	switch {
	case degraded.True():
		// The specific conditions have the reason; Degraded only summarizes them.
		for _, t := range []string{"PinnedImageSetsDegraded", "NodeDegraded", "RenderDegraded"} {
			if c := find(t); c.True() && c.Message != "" {
				degraded = c
			}
		}
		return v.because(step.StatePending, degraded).inTrouble()
	case paused && !updated.True():
		return v.with(step.StatePending, ReasonPaused, "it is paused with changes waiting: its nodes restart, one after "+
			"another, as soon as it is unpaused").inTrouble()
	case paused:
		return v.with(step.StateWarning, ReasonPaused, "it is paused: its nodes stay at their version, and their "+
			"certificates are not renewed")
	case find("Updating").True(), updated.False(), !kube.Observed(u):
		return v.with(step.StatePending, "Updating", "its nodes are being updated: %d of %d are",
			kube.Number(u, "status", "updatedMachineCount"), kube.Number(u, "status", "machineCount"))
	case !updated.True():
		return v.with(step.StatePending, ReasonNotReported, "%s", updated.Describe())
	}
	return v
}

// OperatorCondition returns a condition of a ClusterOperator or ClusterVersion. If it does not exist, only Type is set.
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

// Working is Of without roll-outs and warnings: it is OK while the operator is available and not degraded.
func Working(o *configv1.ClusterOperator) Verdict {
	v := Of(o, time.Time{})
	if !v.Trouble && OperatorCondition(o.Status.Conditions, configv1.OperatorAvailable).True() {
		v.Finding = step.OK("").On("%s", v.Object)
	}
	return v
}

// judgeManagedCluster judges a ManagedCluster by its hub's conditions: accepted, joined, and available (its Lease is
// renewed).
func judgeManagedCluster(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	conditions := kube.Conditions(u)
	v.Hint = Describe(u)
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

// judgeAddOn judges a ManagedClusterAddOn: its agent must be deployed and renew its Lease.
func judgeAddOn(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	conditions := kube.Conditions(u)
	v.Hint = Describe(u)
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
