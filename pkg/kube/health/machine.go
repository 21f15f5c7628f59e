package health

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// failed is the phase of a Machine, MachineDeployment or migration that its controller has given up.
const failed = "Failed"

// machineCauses are the conditions of a Machine in the order in which they have to come true (Cluster API v1beta1).
var machineCauses = []string{"BootstrapReady", "InfrastructureReady", "NodeHealthy", "HealthCheckSucceeded",
	"OwnerRemediated"}

// machineHolds are the conditions of a Machine that say what its deletion waits for, and how to tell it.
var machineHolds = []struct{ condition, text string }{
	{"PreDrainDeleteHookSucceeded", "a hook before its drain"}, {"DrainingSucceeded", "the drain of its node"},
	{"VolumeDetachSucceeded", "its volumes, which are still attached"},
	{"PreTerminateDeleteHookSucceeded", "a hook before its end"},
}

// judgeMachine judges a Machine of Cluster API. Its Ready is a summary: a condition before it says what is missing.
func judgeMachine(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	conditions := kube.Conditions(u)
	v.Hint = hint.New("oc describe machine.cluster.x-k8s.io %s -n %s", u.GetName(), u.GetNamespace())
	if held := machineHeld(conditions, v); v.Reason == ReasonTerminating || held.Message != v.Message {
		return held
	}
	if reason := kube.Text(u, "status", "failureReason"); reason != "" || kube.Text(u, "status", "phase") == failed {
		return v.with(step.StateBroken, cmp.Or(reason, failed), "%s", failure("it has failed", reason,
			kube.Text(u, "status", "failureMessage")))
	}
	for _, t := range machineCauses {
		if c := kube.FindCondition(conditions, t); c.False() || c.Status == "Unknown" {
			v = v.because(step.StatePending, c)
			v.Trouble = severe(u, t)
			return v
		}
	}
	ready := kube.FindCondition(conditions, "Ready")
	if phase := kube.Text(u, "status", "phase"); !ready.True() || phase != "Running" {
		v = v.because(step.StatePending, ready)
		if ready.Status == "" || ready.True() {
			v = v.with(step.StatePending, cmp.Or(phase, "Pending"), "it has no node yet: phase %s", cmp.Or(phase, "not set"))
		}
		return v
	}
	v.Since = ready.LastTransitionTime
	return v
}

// machineHeld says what the deletion of a Machine waits for. A drain names the pods, and the PodDisruptionBudget.
func machineHeld(conditions []kube.Condition, v Verdict) Verdict {
	for _, h := range machineHolds {
		c := kube.FindCondition(conditions, h.condition)
		if !c.False() {
			continue
		}
		message := c.Message
		if h.condition == "DrainingSucceeded" {
			// "Drain not completed yet (started at ...):" and one line for each kind of pod.
			if _, pods, found := strings.Cut(message, "\n"); found {
				message = strings.TrimPrefix(strings.ReplaceAll(pods, "\n* ", "; "), "* ")
			}
			v.Hint = hint.New("%s of its NodePool limits the time of a drain", hint.Flag("node-drain-timeout"))
		}
		v = v.with(step.StatePending, cmp.Or(c.Reason, c.Type), "it is being deleted and waits for %s",
			failure(h.text, "", message))
		v.Since, v.Trouble = c.LastTransitionTime, strings.Contains(message, "evict") || strings.HasSuffix(c.Reason, failed)
		return v
	}
	// Cluster API's v1beta2 has one condition for all of it.
	if c := kube.FindCondition(conditions, "Deleting"); c.True() && c.Message != "" {
		v = v.because(step.StatePending, c)
		v.Trouble = strings.Contains(c.Message, "evict")
	}
	return v
}

// severe reports whether a condition of Cluster API is an error, not only something that is not there yet.
func severe(u *unstructured.Unstructured, conditionType string) bool {
	for _, c := range kube.Maps(u, "status", "conditions") {
		if c["type"] == conditionType {
			return c["severity"] == "Error" || c["severity"] == "Warning"
		}
	}
	return false
}

// failure joins what failed, a reason and a message, as far as they are there.
func failure(what, reason, message string) string {
	if reason != "" {
		what = fmt.Sprintf("%s (%s)", what, reason)
	}
	return strings.TrimSuffix(what+": "+message, ": ")
}

// judgeMachines judges a MachineSet or MachineDeployment of Cluster API.
func judgeMachines(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	conditions := kube.Conditions(u)
	v.Hint = hint.New("oc get machines.cluster.x-k8s.io -n %s", u.GetNamespace())
	if !kube.Observed(u) {
		return v.with(step.StatePending, "NotObserved", "its controller has not processed it yet")
	}
	if reason := kube.Text(u, "status", "failureReason"); reason != "" || kube.Text(u, "status", "phase") == failed {
		return v.with(step.StateBroken, cmp.Or(reason, failed), "%s", failure("it has failed", reason,
			kube.Text(u, "status", "failureMessage")))
	}
	for _, t := range []string{"MachinesCreated", "MachineSetReady"} {
		if c := kube.FindCondition(conditions, t); c.False() {
			v = v.because(step.StatePending, c)
			v.Trouble = severe(u, t)
			return v
		}
	}
	n, lacks := countsOf(u, f), ""
	if u.GetKind() == "MachineSet" {
		n.updated = n.current
	}
	if lacks = n.describe("machines"); lacks == "" {
		if c := kube.FindCondition(conditions, "Available"); c.False() {
			return v.because(step.StatePending, c)
		}
		return v
	}
	return v.with(step.StatePending, lessReady, "%s", lacks)
}
