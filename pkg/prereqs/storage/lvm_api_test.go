package storage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestTheMarkOfLVMStorage has classes as LVM Storage writes them: from 4.22 on it applies the mark of each at every
// reconcile, true or false as the device class asks for (contracts/lvms.yaml).
func TestTheMarkOfLVMStorage(t *testing.T) {
	mark := func(manager, value string) string {
		return fmt.Sprintf(`
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: topolvm.io, metadata: {name: lvms-vg1,
    annotations: {storageclass.kubernetes.io/is-default-class: %q}, managedFields: [{manager: %s, operation: Apply,
      time: "2026-01-02T15:04:05Z", fieldsType: FieldsV1,
      fieldsV1: {"f:metadata": {"f:annotations": {"f:storageclass.kubernetes.io/is-default-class": {}}}}}]}}
`, value, manager)
	}
	cluster := func(asks string) string {
		return `
---
{apiVersion: lvm.topolvm.io/v1alpha1, kind: LVMCluster, metadata: {name: mine, namespace: openshift-lvm-storage},
  spec: {storage: {deviceClasses: [{name: vg1 ` + asks + `}, {name: slow, default: true}]}}, status: {state: Ready, ready: true}}
`
	}
	only := func(asks string) string {
		return strings.Replace(cluster(asks), ", {name: slow, default: true}", "", 1)
	}
	dead := class("dead", noProvisioner, marked)
	another := class("fast", "x.example", marked)
	lvms := with(Options{Mode: ModeLVM})
	chosen := with(Options{Mode: ModeLVM, DefaultClass: "lvms-vg1"})
	other := with(Options{Mode: ModeLVM, DefaultClass: "fast"})
	const patch = "patch " + lvmResource + " openshift-lvm-storage/mine"
	cases := map[string]prereqtest.Case{
		"its false is nobody's decision": {Objects: []string{only(""), mark("lvms-operator", "false")}, State: step.StateMissing,
			Says: []string{"it is not marked as default; no StorageClass is the default one"}},
		"a user's is one": {Objects: []string{only(""), mark("kubectl-edit", "false")}, State: step.StateBroken,
			Says: []string{"set by kubectl-edit on 2026-01-02 15:04 UTC", "--take-over storage/default-class"}},
		"it is asked, and has not come to it": {Objects: []string{only(", default: true"), mark("lvms-operator", "false")},
			State: step.StatePending, Says: []string{"LVMCluster openshift-lvm-storage/mine asks for it"}},
		"another mark is in its way": {Objects: []string{only(", default: true"), mark("lvms-operator", "false"), dead},
			State: step.StateBroken, Says: []string{"once no other class is marked; the default class dead makes no volumes",
				"hcctl bootstrap --default-storage-class lvms-vg1"}},
		"chosen": {Objects: []string{only(""), mark("lvms-operator", "false")}, Of: chosen, State: step.StateMissing},
		"chosen, and asked": {Objects: []string{only(", default: true"), mark("lvms-operator", "false")}, Of: chosen,
			State: step.StatePending, Says: []string{"LVM Storage has not marked it yet"}},
		"chosen, and another is marked": {Objects: []string{only(", default: true"), mark("lvms-operator", "false"), another},
			Of: chosen, State: step.StateMissing, Says: []string{"is not marked as such"}},
		"done": {Objects: []string{only(", default: true"), mark("lvms-operator", "true")}, State: step.StateOK},

		"ask for it": {Objects: []string{only(""), mark("lvms-operator", "false")}, Change: step.Configured,
			Writes: []string{patch}, Sends: []string{`"resourceVersion":`, `"deviceClasses":[{"default":true,"name":"vg1"}]`}},
		"ask for it, of two": {Objects: []string{cluster(""), mark("lvms-operator", "false")}, Of: chosen,
			Change: step.Configured, Writes: []string{patch},
			Sends: []string{`"deviceClasses":[{"default":true,"name":"vg1"},{"name":"slow"}]`}},
		"it is asked already": {Objects: []string{only(", default: true"), mark("lvms-operator", "false")},
			Change: step.Unchanged},
		"before 4.22 the mark is hcctl's": {Objects: []string{only(""), class("lvms-vg1", "topolvm.io", "")},
			Change: step.Configured, Writes: []string{"patch " + classesResource + " lvms-vg1"}},
		"take it back for another": {Objects: []string{only(", default: true"), mark("lvms-operator", "true"),
			class("fast", "x.example", "")}, Of: other, Change: step.Configured,
			Writes: []string{"patch " + classesResource + " fast", patch}, Sends: []string{`{"default":false,"name":"vg1"}`}},
	}
	for name, c := range cases {
		c.ID = DefaultClass
		if c.Of == nil {
			c.Of = lvms
		}
		cases[name] = c
	}
	prereqtest.Run(t, lvms, cases)
}

// TestBelowAnLVMCluster has LVMClusters that are not Ready, and what explains it.
func TestBelowAnLVMCluster(t *testing.T) {
	lvm := func(selector, status string) string {
		return fmt.Sprintf(`
---
{apiVersion: lvm.topolvm.io/v1alpha1, kind: LVMCluster, metadata: {name: lvmcluster, namespace: openshift-lvm-storage},
  spec: {storage: {deviceClasses: [{name: vg1 %s}]}}, status: {%s}}
`, selector, status)
	}
	const nowhere = `, nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: lvm, operator: Exists}]}]}`
	const waits = `state: Progressing, conditions: [{type: VolumeGroupsReady, status: "False", reason: VGReadinessInProgress,
      message: VG readiness check is still in progress}]`
	const failed = `state: Failed, conditions: [{type: VolumeGroupsReady, status: "False", reason: VGsFailed}],
      deviceClassStatuses: [{name: vg1, nodeStatus: [{node: w1, status: Ready}, {node: w2, status: Failed,
        reason: "there were no available devices to create it", excluded: [{name: /dev/sdb, reasons: [
          "/dev/sdb has an invalid filesystem signature (xfs) and cannot be used", "it is mounted"]}]}]}]`
	manager := fmt.Sprintf(`
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: vg-manager, namespace: openshift-lvm-storage, generation: 1},
  status: {observedGeneration: 1, desiredNumberScheduled: 1}}
---
{apiVersion: v1, kind: Event, metadata: {name: e, namespace: openshift-lvm-storage}, type: Warning, reason: FailedCreate,
  message: 'pods "vg-manager-" is forbidden: unable to validate against any security context constraint', count: 3,
  lastTimestamp: %q, involvedObject: {kind: DaemonSet, namespace: openshift-lvm-storage, name: vg-manager}}
`, time.Now().UTC().Format(time.RFC3339))
	nodes := worker("w1", "") + worker("w2", "")
	cases := map[string]prereqtest.Case{
		"it is made": {Objects: []string{lvm("", waits), nodes}, State: step.StatePending,
			Says: []string{"VG readiness check is still in progress"}},
		"its pods are refused": {Objects: []string{lvm("", waits), nodes, manager}, State: step.StatePending, Trouble: true,
			Says: []string{"DaemonSet openshift-lvm-storage/vg-manager: FailedCreate: unable to validate against any security",
				"so LVMCluster openshift-lvm-storage/lvmcluster: Progressing", "oc describe daemonset vg-manager"}},
		"it selects no node": {Objects: []string{lvm(nowhere, waits), nodes}, State: step.StateBroken,
			Says: []string{"the nodeSelector of its device class vg1 selects no node", "oc get nodes --show-labels"}},
		"it selects one": {Objects: []string{lvm(nowhere, waits), nodes, worker("w3", `lvm: ""`)}, State: step.StatePending},
		"a node has no disk for it": {Objects: []string{lvm("", failed), nodes}, State: step.StateBroken,
			Says: []string{"vg1 on w2 is Failed: there were no available devices to create it; it does not take /dev/sdb " +
				"(/dev/sdb has an invalid filesystem signature (xfs) and cannot be used, it is mounted)"}},
	}
	for name, c := range cases {
		c.ID = LVMCluster
		cases[name] = c
	}
	prereqtest.Run(t, with(Options{Mode: ModeLVM}), cases)
}

// What keeps an LVMCluster that is being deleted stands in an Event alone.
func TestAnLVMClusterThatGoes(t *testing.T) {
	event := fmt.Sprintf(`
---
{apiVersion: v1, kind: Event, metadata: {name: e, namespace: openshift-lvm-storage}, type: Warning, reason: DeletionPending,
  message: 'waiting for the deletion of logical volumes', count: 3, lastTimestamp: %q, involvedObject:
    {kind: LVMCluster, namespace: openshift-lvm-storage, name: lvmcluster, uid: uid-of-lvmcluster}}
`, time.Now().UTC().Format(time.RFC3339))
	going := prereqtest.Deleted(lvmGroups("Ready"))
	prereqtest.Run(t, []prereq.Prerequisite{lvmCluster{}.prerequisite()}, map[string]prereqtest.Case{
		"its operator says why": {Objects: []string{going, event}, ID: removeLVMCluster, State: step.StatePending,
			Says: []string{"being deleted", "DeletionPending: waiting for the deletion of logical volumes",
				"finalizers: example.com/hold"}},
	})
}
