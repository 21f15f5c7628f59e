package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// failed is the phase of a Machine, MachineDeployment or migration that its controller does not retry.
const failed = "Failed"

// machineCauses has the conditions of a Machine (Cluster API v1beta1 and v1beta2) and of a KubevirtMachine (v1alpha1 of
// its provider), in the order in which they become true.
var machineCauses = []string{"BootstrapReady", "BootstrapConfigReady", "InfrastructureReady", "VMProvisioned",
	"BootstrapExecSucceeded", nodeHealthy, "HealthCheckSucceeded", "OwnerRemediated"}

// nodeHealthy is the type of a Machine's condition about its node.
const nodeHealthy = "NodeHealthy"

// machineTroubles has the reasons of Cluster API v1beta2 for a problem of a node or of the objects from which its
// Machine is made. In v1beta1 these reasons end with Failed.
var machineTroubles = []string{"NodeNotHealthy", "NodeDeleted", "NodeDoesNotExist", "ConnectionDown", "InternalError",
	"ObjectDeleted", "UnhealthyNode", "NodeStartupTimeout", corev1.PodReasonUnschedulable}

// deletionWaits has the conditions that report what the deletion of a Machine waits for, the text for it, and the time
// that it may take. A drain may take longer, because pods may end slowly.
var deletionWaits = []struct {
	condition, text string
	grace           time.Duration
}{
	{"PreDrainDeleteHookSucceeded", "a hook before its drain", holdGrace},
	{"DrainingSucceeded", "the drain of its node", drainGrace},
	{"VolumeDetachSucceeded", "its volumes, which are still attached", holdGrace},
	{"PreTerminateDeleteHookSucceeded", "a hook before its end", holdGrace},
}

const (
	holdGrace  = 15 * time.Minute
	drainGrace = time.Hour
)

// machineConditions returns the v1beta1 conditions of Cluster API, which v1beta2 keeps in status.deprecated, followed
// by those of v1beta2. If both have a type, the one of v1beta1 comes first, because it has more information.
func machineConditions(u *unstructured.Unstructured) []kube.Condition {
	return append(kube.ConditionsAt(u, "status", "deprecated", "v1beta1", "conditions"), kube.Conditions(u)...)
}

// v1beta1Text returns a status field that v1beta2 keeps in status.deprecated.
func v1beta1Text(u *unstructured.Unstructured, field string) string {
	return cmp.Or(kube.Text(u, "status", field), kube.Text(u, "status", "deprecated", "v1beta1", field))
}

// judgeMachine judges a Machine or KubevirtMachine. Ready is a summary; the conditions before it have the cause.
func judgeMachine(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	conditions := machineConditions(u)
	v.Hint = hint.New("oc describe %s.%s %s -n %s", strings.ToLower(u.GetKind()), u.GroupVersionKind().Group, u.GetName(),
		u.GetNamespace())
	if deleting := deletionVerdict(conditions, v, f.now); v.Reason == ReasonTerminating || deleting.Message != v.Message {
		return deleting
	}
	if reason := v1beta1Text(u, "failureReason"); reason != "" || kube.Text(u, "status", "phase") == failed {
		return v.with(step.StateBroken, cmp.Or(reason, failed), "%s", failure("it has failed", reason,
			v1beta1Text(u, "failureMessage")))
	}
	for _, t := range machineCauses {
		if c := kube.FindCondition(conditions, t); c.False() || c.Status == "Unknown" {
			return v.machineCause(u, c, f.now)
		}
	}
	ready := kube.FindCondition(conditions, "Ready")
	if phase := kube.Text(u, "status", "phase"); !ready.True() || phase != "Running" && u.GetKind() == kube.Machine.Kind {
		v = v.because(step.StatePending, ready)
		if ready.Status == "" || ready.True() {
			v = v.with(step.StatePending, cmp.Or(phase, "Pending"), "it has no node yet: phase %s", cmp.Or(phase, "not set"))
		}
		return v
	}
	v.Since = ready.LastTransitionTime
	return v
}

// deletionVerdict returns the verdict on a Machine whose deletion waits. For a drain it has the pods and the
// PodDisruptionBudget.
func deletionVerdict(conditions []kube.Condition, v Verdict, now time.Time) Verdict {
	for _, h := range deletionWaits {
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
		v.Since, v.Recheck = c.LastTransitionTime, max(0, h.grace-now.Sub(c.LastTransitionTime))
		v.Trouble = v.Recheck == 0 || strings.Contains(message, "evict") || strings.HasSuffix(c.Reason, failed)
		return v
	}
	// Cluster API v1beta2 has one condition for the whole deletion.
	if c := kube.FindCondition(conditions, "Deleting"); c.True() && c.Message != "" {
		v = v.because(step.StatePending, c)
		v.Trouble = strings.Contains(c.Message, "evict")
	}
	return v
}

// machineCause returns the verdict for a condition that is not true. The severity is not reliable: the provider reports
// an image that cannot be pulled as Info, and Cluster API a booting node as Warning.
func (v Verdict) machineCause(u *unstructured.Unstructured, c kube.Condition, now time.Time) Verdict {
	v = v.because(step.StatePending, c)
	// v1beta2 has no separate reason for a node that has not joined yet (machine_controller_status.go of 1.9 to 1.12).
	if c.Reason == "NodeProvisioning" || c.Type == nodeHealthy && c.Status == "Unknown" && c.Reason == "InspectionFailed" {
		v.Recheck = max(0, joinGrace-now.Sub(c.LastTransitionTime))
		v.Trouble = v.Recheck == 0
		return v
	}
	v.Trouble = slices.Contains(machineTroubles, c.Reason) || strings.HasSuffix(c.Reason, failed) ||
		slices.ContainsFunc(append(kube.Maps(u, "status", "conditions"),
			kube.Maps(u, "status", "deprecated", "v1beta1", "conditions")...), func(m map[string]any) bool {
			return m["type"] == c.Type && m["severity"] == "Error"
		})
	return v
}

// failure joins a text, a reason and a message; the last two may be empty.
func failure(what, reason, message string) string {
	if reason != "" {
		what = fmt.Sprintf("%s (%s)", what, reason)
	}
	return strings.TrimSuffix(what+": "+message, ": ")
}

// judgeMachines judges a MachineSet or MachineDeployment of Cluster API.
func judgeMachines(u *unstructured.Unstructured, v Verdict, f *facts) Verdict {
	conditions := machineConditions(u)
	v.Hint = hint.New("oc get machines.cluster.x-k8s.io -n %s", u.GetNamespace())
	if !kube.Observed(u) {
		return v.with(step.StatePending, "NotObserved", "its controller has not processed it yet")
	}
	if reason := v1beta1Text(u, "failureReason"); reason != "" || kube.Text(u, "status", "phase") == failed {
		return v.with(step.StateBroken, cmp.Or(reason, failed), "%s", failure("it has failed", reason,
			v1beta1Text(u, "failureMessage")))
	}
	for _, t := range []string{"MachinesCreated", "MachineSetReady"} {
		if c := kube.FindCondition(conditions, t); c.False() {
			return v.machineCause(u, c, f.now)
		}
	}
	n := countsOf(u, f)
	if u.GetKind() == "MachineSet" {
		n.updated = n.current
	}
	lacks := n.describe("machines")
	if lacks == "" {
		if c := kube.FindCondition(conditions, "Available"); c.False() {
			return v.because(step.StatePending, c)
		}
		return v
	}
	return v.with(step.StatePending, lessReady, "%s", failure(lacks, "", machinesMessage(u)))
}

// machinesMessage returns Cluster API v1beta2's message about missing machines (MachineSets and MachineDeployments of
// 1.9 to 1.12): creation is blocked, or they are not ready. It puts lists on one line.
func machinesMessage(u *unstructured.Unstructured) string {
	conditions := kube.Conditions(u)
	scaling := kube.FindCondition(conditions, "ScalingUp")
	for _, c := range []kube.Condition{scaling, kube.FindCondition(conditions, "MachinesReady")} {
		blocked := c.Type == scaling.Type && c.True() && strings.Contains(c.Message, "is blocked")
		if u.GroupVersionKind().Version != kube.Machine.Version && (blocked || c.Type != scaling.Type && c.False()) {
			return strings.Join(strings.Fields(strings.ReplaceAll(c.Message, "* ", "")), " ")
		}
	}
	return ""
}
