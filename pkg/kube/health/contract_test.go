package health

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/contracts"
)

// JudgedKinds are the kinds that have a judge of their own.
func JudgedKinds() []schema.GroupKind { return slices.Collect(maps.Keys(judges)) }

// listOf is a list of what KubeVirt or its importer says.
func listOf(t *testing.T, component, list string) []string {
	t.Helper()
	values, err := contracts.Values(component, list)
	if err != nil || len(values) == 0 {
		t.Fatalf("%s of %s: %v, %v", list, component, values, err)
	}
	return values
}

// TestEveryPrintableStatusIsJudged names each as one of a VM that works, changes or fails: a newer KubeVirt's has to be
// decided on.
func TestEveryPrintableStatusIsJudged(t *testing.T) {
	works := []string{"Stopped", "Provisioning", "Starting", "Running", "Paused", "Stopping", "Terminating", "Migrating",
		"WaitingForVolumeBinding", "WaitingForReceiver"}
	all := listOf(t, "kubevirt", "printable_statuses")
	for _, status := range all {
		if vmFailures[kubevirtv1.VirtualMachinePrintableStatus(status)] == slices.Contains(works, status) {
			t.Errorf("%s is not decided on", status)
		}
	}
	for status := range vmFailures {
		if !slices.Contains(all, string(status)) {
			t.Errorf("no KubeVirt says %s", status)
		}
	}
}

func TestEveryConditionOfAMigrationIsJudged(t *testing.T) {
	all := listOf(t, "kubevirt", "migration_conditions")
	for _, condition := range all {
		if condition != "migrationAbortRequested" && !slices.Contains(migrationHolds, condition) {
			t.Errorf("%s is not decided on", condition)
		}
	}
	for _, condition := range migrationHolds {
		if !slices.Contains(all, condition) {
			t.Errorf("no KubeVirt says %s", condition)
		}
	}
}

// TestEveryReasonOfTheImporterIsJudged has the reasons that mean no error; all others do.
func TestEveryReasonOfTheImporterIsJudged(t *testing.T) {
	fine := []string{"CloneSucceeded", "ImportPaused", "CloneSourceInUse", "VolumeSnapshotClassSelected", "CloneScheduled",
		"CloneInProgress", "SnapshotForSmartCloneInProgress", "CloneFromSnapshotSourceInProgress",
		"SnapshotForSmartCloneCreated", "CSICloneInProgress", "ExpansionInProgress", "NamespaceTransferInProgress",
		"SizeDetectionPodCreated", "SizeDetectionPodNotReady", "ImportPVCNotReady", "PrepClaimInProgress",
		"RebindInProgress", "NoPopulator", "TransferRunning", "Bound", "Pending", "ExternalPopulationSucceeded",
		"NoAnyVolumeDataSource", "ImportScheduled", "ImportInProgress", "ImportSucceeded", "UploadScheduled", "UploadReady",
		"UploadSucceeded", "CreatingScratchSpace", "ImportTargetInUse", "UploadTargetInUse", "Completed",
		"CreatedPVCPrimeSuccessfully", "RetainedPVCPrime", "AwaitingVDDK", "NotFound"}
	for _, reason := range listOf(t, "cdi", "reasons") {
		if isImportError(reason) == slices.Contains(fine, reason) {
			t.Errorf("%s: taken for an error: %t", reason, isImportError(reason))
		}
	}
}
