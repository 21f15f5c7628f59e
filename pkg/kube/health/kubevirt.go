package health

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// vmFailures has the printable statuses of a VirtualMachine that mean a failure (KubeVirt 0.58 to 1.9).
var vmFailures = map[kubevirtv1.VirtualMachinePrintableStatus]bool{
	kubevirtv1.VirtualMachineStatusUnschedulable: true, kubevirtv1.VirtualMachineStatusErrImagePull: true,
	kubevirtv1.VirtualMachineStatusImagePullBackOff: true, kubevirtv1.VirtualMachineStatusPvcNotFound: true,
	kubevirtv1.VirtualMachineStatusDataVolumeError: true, kubevirtv1.VirtualMachineStatusCrashLoopBackOff: true,
	kubevirtv1.VirtualMachineStatusUnknown: true,
}

// instanceTroubles has the conditions of an instance that report a problem, and the status that does; the root causes
// first. KubeVirt copies them to the VirtualMachine.
var instanceTroubles = []struct {
	condition string
	bad       corev1.ConditionStatus
}{
	{string(kubevirtv1.VirtualMachineFailure), corev1.ConditionTrue},
	{string(kubevirtv1.VirtualMachineManualRecoveryRequired), corev1.ConditionTrue},
	{string(kubevirtv1.VirtualMachineInstancePaused), corev1.ConditionTrue},
	{string(corev1.PodScheduled), corev1.ConditionFalse},
	{string(kubevirtv1.VirtualMachineInstanceDataVolumesReady), corev1.ConditionFalse},
	{string(kubevirtv1.VirtualMachineInstanceSynchronized), corev1.ConditionFalse},
}

// instanceTrouble returns the first condition that reports a problem.
func instanceTrouble(conditions []kube.Condition) (kube.Condition, bool) {
	for _, t := range instanceTroubles {
		if c := kube.FindCondition(conditions, t.condition); c.Status == string(t.bad) && c.Reason+c.Message != "" {
			return c, true
		}
	}
	return kube.Condition{}, false
}

// VMTrouble returns the problem of a VirtualMachine, which may be temporary: a condition, or one with only the
// printable status as Type.
func VMTrouble(vm *kubevirtv1.VirtualMachine) (kube.Condition, bool) {
	u, err := untyped(vm)
	if err != nil {
		return kube.Condition{}, false
	}
	if c, wrong := instanceTrouble(kube.Conditions(u)); wrong {
		return c, true
	}
	return kube.Condition{Type: string(vm.Status.PrintableStatus)}, vmFailures[vm.Status.PrintableStatus]
}

// judgeVirtualMachine judges by the conditions and the printable status.
func judgeVirtualMachine(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Hint = hint.New("oc describe vm %s -n %s", u.GetName(), u.GetNamespace())
	if !kube.Observed(u) {
		return v
	}
	conditions := kube.Conditions(u)
	printable := kube.Text(u, "status", "printableStatus")
	ready := kube.FindCondition(conditions, string(kubevirtv1.VirtualMachineReady))
	c, wrong := instanceTrouble(conditions)
	switch {
	case wrong:
		return v.vmProblem(c, ready, u)
	case printable == string(kubevirtv1.VirtualMachineStatusStopped):
		return judgeStopped(u, v)
	case vmFailures[kubevirtv1.VirtualMachinePrintableStatus(printable)]:
		v.Since = ready.LastTransitionTime
		return v.with(step.StatePending, printable, "%s", failure(printable, "", ready.Message)).inTrouble()
	case !ready.True() && (ready.Status != "" || !kube.Flag(u, "status", "ready")):
		v.Since = cmp.Or(ready.LastTransitionTime, u.GetCreationTimestamp().Time)
		return v.with(step.StatePending, cmp.Or(ready.Reason, printable, ReasonNotReported), "%s",
			failure(cmp.Or(printable, "it has not started"), "", ready.Message))
	}
	v.Since = ready.LastTransitionTime
	if c := kube.FindCondition(conditions, string(kubevirtv1.VirtualMachineRestartRequired)); c.True() {
		return v.because(step.StateWarning, c)
	}
	return v
}

// vmProblem returns the verdict on a VM with the problem c. A VM that is ready and not paused works, so it gets a
// warning.
func (v Verdict) vmProblem(c, ready kube.Condition, u *unstructured.Unstructured) Verdict {
	paused := c.Type == string(kubevirtv1.VirtualMachineInstancePaused)
	switch {
	case ready.True() && !paused:
		return v.because(step.StateWarning, c)
	case paused && c.Reason == "PausedByMigrationMonitor":
		return v.because(step.StatePending, c)
	case paused && c.Reason == "PausedByUser":
		v.Hint = hint.New("virtctl unpause vm %s -n %s", u.GetName(), u.GetNamespace())
	case paused && c.Reason == "PausedIOError":
		v.Hint = hint.New("its storage does not take what it writes: %s", hint.Run("check").Flag("only", "storage"))
	}
	return v.because(step.StatePending, c).inTrouble()
}

// judgeStopped judges a stopped VM by its runStrategy.
func judgeStopped(u *unstructured.Unstructured, v Verdict) Verdict {
	strategy := kube.Text(u, "spec", "runStrategy")
	if strategy == "" && !kube.Flag(u, "spec", "running") {
		strategy = string(kubevirtv1.RunStrategyHalted)
	}
	switch kubevirtv1.VirtualMachineRunStrategy(strategy) {
	case kubevirtv1.RunStrategyHalted, kubevirtv1.RunStrategyManual, kubevirtv1.RunStrategyOnce:
		return v.with(step.StatePending, "Stopped", "it is stopped, and its runStrategy is %s", strategy)
	}
	return v.with(step.StatePending, "Stopped", "it is stopped, though its runStrategy is %s",
		cmp.Or(strategy, string(kubevirtv1.RunStrategyAlways))).inTrouble()
}

func judgeInstance(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Hint = hint.New("oc describe vmi %s -n %s", u.GetName(), u.GetNamespace())
	conditions, phase := kube.Conditions(u), kube.Text(u, "status", "phase")
	ready := kube.FindCondition(conditions, string(kubevirtv1.VirtualMachineInstanceReady))
	v.Since = ready.LastTransitionTime
	c, wrong := instanceTrouble(conditions)
	switch now := kubevirtv1.VirtualMachineInstancePhase(phase); {
	case now == kubevirtv1.Failed || now == kubevirtv1.Succeeded:
		return v.with(step.StateBroken, phase, "%s", failure("it has ended, phase "+phase, "",
			kube.Text(u, "status", "reason")))
	case wrong:
		return v.vmProblem(c, ready, u)
	case now != kubevirtv1.Running || ready.False() || ready.Status == "Unknown":
		return v.with(step.StatePending, cmp.Or(ready.Reason, phase, ReasonNotReported), "%s",
			failure("it does not run yet, phase "+cmp.Or(phase, "not set"), "", ready.Message))
	}
	return v
}

// migrationHolds has the conditions by which virt-controller reports that it does not start a migration (KubeVirt 1.3
// to 1.9; all but the first since 1.8).
var migrationHolds = []string{string(kubevirtv1.VirtualMachineInstanceMigrationRejectedByResourceQuota),
	"migrationBlockedByUtilityVolumes", "migrationBlockedByBackup", "decentralizedMigrationBlocked"}

// judgeMigration judges a VirtualMachineInstanceMigration: it is healthy once it has succeeded.
func judgeMigration(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Since = u.GetCreationTimestamp().Time
	phase := kube.Text(u, "status", "phase")
	switch kubevirtv1.VirtualMachineInstanceMigrationPhase(phase) {
	case kubevirtv1.MigrationSucceeded:
		return v
	case kubevirtv1.MigrationFailed:
		return v.with(step.StateBroken, phase, "%s", failure("the live migration has failed", "",
			kube.Text(u, "status", "migrationState", "failureReason")))
	}
	for _, c := range kube.Conditions(u) {
		if slices.Contains(migrationHolds, c.Type) && c.True() {
			return v.because(step.StatePending, c).inTrouble()
		}
	}
	return v.with(step.StatePending, cmp.Or(phase, ReasonNotReported), "the live migration is %s",
		cmp.Or(phase, "not begun"))
}

// judgeDataVolume judges a DataVolume of the containerized data importer (CDI): it is healthy once its volume is
// filled.
func judgeDataVolume(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Hint = Describe(u)
	conditions, phase := kube.Conditions(u), kube.Text(u, "status", "phase")
	running := kube.FindCondition(conditions, "Running")
	v.Since = cmp.Or(running.LastTransitionTime, u.GetCreationTimestamp().Time)
	if phase == "Succeeded" {
		return v
	}
	if phase == failed {
		return v.with(step.StateBroken, phase, "%s", failure("it has failed", running.Reason, running.Message))
	}
	// Bound comes first: without a volume the importer cannot run.
	for _, t := range []string{"Bound", "Running"} {
		c := kube.FindCondition(conditions, t)
		if !c.True() && isImportError(c.Reason) {
			return v.because(step.StatePending, c).inTrouble()
		}
	}
	what := "it is " + cmp.Or(phase, "not processed yet")
	if restarts := kube.Number(u, "status", "restartCount"); restarts > 0 {
		return v.with(step.StatePending, cmp.Or(phase, ReasonNotReported), "%s, and what fills it has restarted: %s", what,
			failure("Running "+running.Status, running.Reason, running.Message)).inTrouble()
	}
	return v.with(step.StatePending, cmp.Or(phase, ReasonNotReported), "%s", failure(what, "", running.Message))
}

// importErrors has the error reasons that isImportError does not recognize by prefix or suffix.
var importErrors = []string{"OOMKilled", "ClaimLost", "ClaimMisbound", "CloneWithoutSource",
	"NoCSIDriverForExternalPopulation"}

// isImportError reports whether a condition reason of a DataVolume is an error: ErrClaimNotValid, ImagePullFailed,
// ChecksumError, CrashLoopBackOff, the kubelet's Error (CDI 1.59 to 1.66).
func isImportError(reason string) bool {
	return strings.HasPrefix(reason, "Err") || strings.HasSuffix(reason, failed) || strings.HasSuffix(reason, "Error") ||
		strings.HasSuffix(reason, "BackOff") || slices.Contains(importErrors, reason)
}
