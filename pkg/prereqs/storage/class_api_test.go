package storage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// cephWithout is a StorageCluster that makes no block class.
const cephWithout = `
---
{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {name: ocs-storagecluster, namespace: ns},
  spec: {managedResources: {cephBlockPools: {disableStorageClass: true}}}}
`

// cephDefault is a StorageCluster that is told to mark its block class.
const cephDefault = `
---
{apiVersion: ocs.openshift.io/v1, kind: StorageCluster,
  metadata: {name: ocs-storagecluster, namespace: openshift-storage},
  spec: {managedResources: {cephBlockPools: {defaultStorageClass: true}}}}
`

const bothMarks = "storageclass.kubernetes.io/is-default-class: 'true', " +
	"storageclass.beta.kubernetes.io/is-default-class: 'true'"

func TestDefaultClass(t *testing.T) {
	existing := with(Options{Mode: ModeExisting})
	two := class("a", "x.example", marked) + class("b", "y.example", marked)
	useless := class("dead", noProvisioner, marked)
	block := class("ocs-storagecluster-ceph-rbd", cephBlock, "")
	lvmUnmarked := `
---
{apiVersion: lvm.topolvm.io/v1alpha1, kind: LVMCluster, metadata: {name: lvmcluster, namespace: ns},
  spec: {storage: {deviceClasses: [{name: slow}, {name: fast}]}}}
`
	run(t, map[string]prereqtest.Case{
		"one": {Objects: []string{class("fast", "csi.example.com", marked)}, ID: DefaultClass, State: step.StateOK,
			Says: []string{"StorageClass fast", "provisioner csi.example.com"}},
		"none": {ID: DefaultClass, State: step.StateMissing,
			Says: []string{"no StorageClass is the default one", "hcctl bootstrap --storage odf or hcctl bootstrap --storage lvms"}},
		"one that is going": {Objects: []string{`
{apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: x.example, metadata: {name: gone,
  deletionTimestamp: "2026-01-01T00:00:00Z", annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}
`}, ID: DefaultClass, State: step.StateMissing, Says: []string{"no StorageClass is the default one"}},
		"one of no use": {Objects: []string{useless}, ID: DefaultClass, State: step.StateMissing,
			Says: []string{"the default class dead makes no volumes by itself"}},
		"one of no use, and it has to exist": {Objects: []string{useless}, Of: existing, ID: DefaultClass,
			State: step.StateBroken, Says: []string{"StorageClass dead", "the default class makes no volumes"}},
		"none of two of use": {Objects: []string{class("a", "x.example", marked), useless,
			prereqtest.ClusterVersion("4.20.3")}, ID: DefaultClass,
			State: step.StateOK, Says: []string{"StorageClass a"}},
		"two": {Objects: []string{two, prereqtest.ClusterVersion("4.13.1")}, ID: DefaultClass, State: step.StateOK,
			Says: []string{"StorageClass a"}},
		"two on 4.12": {Objects: []string{two, prereqtest.ClusterVersion("4.12.50")}, ID: DefaultClass,
			State: step.StateBroken, Says: []string{"2 classes are marked as default: a, b",
				"hcctl bootstrap --default-storage-class a", "oc patch storageclass b"}},
		"two, version not known": {Objects: []string{two}, ID: DefaultClass},

		"Ceph has not made it": {Objects: []string{cephCluster(3, "Progressing")}, ID: DefaultClass,
			State: step.StatePending, Says: []string{"StorageCluster openshift-storage/ocs-storagecluster",
				"has not created its class ocs-storagecluster-ceph-rbd yet"}},
		"Ceph has made it": {Objects: []string{cephCluster(3, "Ready"), block}, ID: DefaultClass, State: step.StateMissing,
			Says: []string{"StorageClass ocs-storagecluster-ceph-rbd", "it is not marked as default"}},
		"Ceph makes none": {Objects: []string{cephWithout}, ID: DefaultClass, State: step.StateBroken,
			Says: []string{"makes none (disableStorageClass)"}},
		"LVM Storage has not made it": {Objects: []string{lvmGroups("Progressing")}, ID: DefaultClass,
			State: step.StatePending, Says: []string{"LVMCluster", "its class lvms-vg1 yet"}},
		"LVM Storage marks none": {Objects: []string{lvmUnmarked}, Of: with(Options{Mode: ModeLVM}), ID: DefaultClass,
			State: step.StatePending, Says: []string{"its class lvms-slow yet"}},
		"kept rather than Ceph's": {Objects: []string{class("fast", "x.example", marked), cephCluster(3, "Ready"), block},
			Of: with(Options{Mode: ModeDataFoundation}), ID: DefaultClass, State: step.StateOK,
			Says: []string{"kept as the default rather than ocs-storagecluster-ceph-rbd"}},
		"kept rather than LVM Storage's": {Objects: []string{class("fast", "x.example", marked), lvmGroups("Ready")},
			Of: with(Options{Mode: ModeLVM}), ID: DefaultClass, State: step.StateOK,
			Says: []string{"kept as the default rather than lvms-vg1"}},

		"no permission": {Refused: prereqtest.Forbidden(classesResource), ID: DefaultClass,
			Says: []string{"StorageClasses", "not allowed"}},
		"server fails": {Refused: map[string]int{classesResource: 500}, ID: DefaultClass,
			Says: []string{"StorageClasses"}},
		"no permission for StorageClusters": {Refused: prereqtest.Forbidden(clustersResource), ID: DefaultClass,
			Says: []string{"StorageClusters", "not allowed"}},
		"no permission for LVMClusters": {Refused: prereqtest.Forbidden(lvmResource), ID: DefaultClass,
			Says: []string{"LVMClusters", "not allowed"}},
	})
}

// From Data Foundation 4.19 on the classes come through a StorageConsumer and a StorageClient.
func TestAwaitedClass(t *testing.T) {
	const consumer = "StorageConsumer openshift-storage/internal"
	const client = "StorageClient ocs-storagecluster"
	of := func(meta, consumerStatus, clientStatus string) string {
		out := fmt.Sprintf(`
---
{apiVersion: ocs.openshift.io/v1alpha1, kind: StorageConsumer, metadata: {name: internal, namespace: openshift-storage},
  spec: {storageClasses: [{name: ocs-storagecluster-ceph-rbd}]}, status: {%s}}
`, consumerStatus)
		if clientStatus != "" {
			out += fmt.Sprintf(`
---
{apiVersion: ocs.openshift.io/v1alpha1, kind: StorageClient, metadata: {name: ocs-storagecluster%s}, status: {%s}}
`, meta, clientStatus)
		}
		return out
	}
	going := `, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [storageclient.ocs.openshift.io]`
	foundation := func(minor string) string {
		return prereqtest.Installed("odf-operator", "openshift-storage", "odf-operator.v"+minor+".0")
	}
	ready := cephCluster(3, "Ready")
	at := func(state step.State, objects string, says ...string) prereqtest.Case {
		return prereqtest.Case{Objects: []string{ready, objects}, ID: DefaultClass, State: state,
			Kinds: []kube.Kind{kube.StorageConsumer, kube.StorageClient},
			Says:  append(says, "no StorageClass is the default one", "ocs-storagecluster-ceph-rbd")}
	}
	refused := at(step.StatePending, of("", "state: NotEnabled", "phase: Initializing"), "has not created its class")
	refused.Refused = prereqtest.Forbidden("storageclients.ocs.openshift.io")
	broken := at(step.StateUnknown, "")
	broken.Says, broken.Refused = []string{"StorageClients"}, map[string]int{"storageconsumers.ocs.openshift.io": 500}
	missing := at(step.StatePending, foundation("4.18"), "StorageCluster openshift-storage", "has not created its class")
	missing.Kinds = nil
	run(t, map[string]prereqtest.Case{
		"before 4.19": at(step.StatePending, foundation("4.18"), "StorageCluster openshift-storage",
			"has not created its class"),
		"no kind":        missing,
		"not to be read": refused,
		"cannot be read": broken,
		"no consumer":    at(step.StatePending, foundation("4.20"), consumer, "has not created it yet"),
		"no client":      at(step.StatePending, of("", "state: NotEnabled", ""), client, "internal is NotEnabled"),
		"client is not ready": at(step.StatePending, of("", "state: NotEnabled", "phase: Initializing"), client,
			"once it is Connected, and is Initializing",
			"oc get deployment ocs-client-operator-controller-manager -n openshift-storage"),
		"client is new":     at(step.StatePending, of("", "", "x: y"), client, "once it is Connected"),
		"client goes":       at(step.StatePending, of(going, "state: Ready", "phase: Offboarding"), client, "goes with it"),
		"client has failed": at(step.StateBroken, of("", "state: Ready", "phase: Failed"), client, "oc describe storageclient"),
		"consumer is not ready": at(step.StatePending, of("", "state: Configuring", "phase: Connected"), consumer,
			"once it is Ready, and it is Configuring"),
		"consumer has failed": at(step.StateBroken, of("", "state: Failed", "phase: Connected"), consumer, "it has failed"),
		"not listed": at(step.StatePending, strings.ReplaceAll(of("", "state: Ready", "phase: Connected"),
			"ceph-rbd}", "other}"), consumer, "it does not list class"),
		"not made yet": at(step.StatePending, of("", "state: Ready", "phase: Connected"), client,
			"it is Connected and has not created class"),
		"chosen": {Objects: []string{ready, of("", "state: NotEnabled", "phase: Initializing")},
			Of: with(Options{DefaultClass: "ocs-storagecluster-cephfs"}), ID: DefaultClass, State: step.StatePending,
			Says: []string{client, "it is to be the default class; it brings class ocs-storagecluster-cephfs"}},
	})
}

func TestChosenDefaultClass(t *testing.T) {
	chosen := func(name string) []prereq.Prerequisite { return with(Options{DefaultClass: name}) }
	run(t, map[string]prereqtest.Case{
		"is it": {Objects: []string{class("a", "x.example", marked)}, Of: chosen("a"), ID: DefaultClass,
			State: step.StateOK, Says: []string{"StorageClass a", "provisioner x.example"}},
		"not marked": {Objects: []string{class("a", "x.example", "")}, Of: chosen("a"), ID: DefaultClass,
			State: step.StateMissing, Says: []string{"is not marked as such"}},
		"not the only one": {Objects: []string{class("a", "x.example", marked), class("b", "x.example", marked)},
			Of: chosen("a"), ID: DefaultClass, State: step.StateMissing, Says: []string{"so is b"}},
		"of no use": {Objects: []string{class("a", noProvisioner, ""), class("b", "x.example", "")}, Of: chosen("a"),
			ID: DefaultClass, State: step.StateBroken, Says: []string{"it makes no volumes by itself", "name another: b"}},
		"unknown": {Objects: []string{class("b", "x.example", ""), class("c", noProvisioner, "")}, Of: chosen("typo"),
			ID: DefaultClass, State: step.StateBroken, Says: []string{"there is no such class", "name one that is there: b"}},
		"of Ceph to come": {Of: chosen("ocs-storagecluster-cephfs"), ID: DefaultClass, State: step.StatePending,
			Says: []string{"OpenShift Data Foundation has not created it yet"}},
		"of Ceph and Virtualization to come": {Of: chosen("ocs-storagecluster-ceph-rbd-virtualization"),
			ID: DefaultClass, State: step.StatePending, Says: []string{"once OpenShift Virtualization is there"}},
		"of LVM Storage to come": {Of: with(Options{DefaultClass: "lvms-vg1", Mode: ModeLVM}), ID: DefaultClass,
			State: step.StatePending, Says: []string{"LVM Storage has not created it yet"}},
		"of an LVMCluster to come": {Objects: []string{lvmGroups("Progressing")}, Of: chosen("lvms-vg1"), ID: DefaultClass,
			State: step.StatePending, Says: []string{"LVM Storage has not created it yet"}},
		"of LVM Storage that nobody installs": {Of: chosen("lvms-vg1"), ID: DefaultClass, State: step.StateBroken,
			Says: []string{"nothing hcctl installs would make it"}},
		"of Ceph that nobody installs": {Of: with(Options{DefaultClass: "ocs-storagecluster-cephfs", Mode: ModeLVM}),
			ID: DefaultClass, State: step.StateBroken, Says: []string{"nothing hcctl installs would make it"}},
		"no permission for facts": {Refused: prereqtest.Forbidden(lvmResource), Of: chosen("a"), ID: DefaultClass,
			Says: []string{"LVMClusters", "not allowed"}},
	})
}

func TestApplyDefaultClass(t *testing.T) {
	const patch = "patch " + classesResource + " "
	const patchCluster = "patch " + clustersResource + " openshift-storage/ocs-storagecluster"
	const annotate = `{"metadata":{"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}}}`
	const asks = `{"spec":{"managedResources":{"cephBlockPools":{"defaultStorageClass":true}}}}`
	chosen := func(name string) []prereq.Prerequisite { return with(Options{DefaultClass: name}) }
	block := class("ocs-storagecluster-ceph-rbd", cephBlock, "")
	oldest := prereqtest.Installed("odf-operator", operatorsNamespace, "odf-operator.v4.14.9")
	run(t, map[string]prereqtest.Case{
		"Ceph's": {Objects: []string{foundation(), cephCluster(3, "Ready"), block}, ID: DefaultClass,
			Change: step.Configured, Writes: []string{patchCluster, patch + "ocs-storagecluster-ceph-rbd"},
			Sends: []string{asks, annotate}},
		"Ceph's before 4.15": {Objects: []string{oldest, cephCluster(3, "Ready"), block}, ID: DefaultClass,
			Change: step.Configured, Writes: []string{patch + "ocs-storagecluster-ceph-rbd"}, Sends: []string{annotate}},
		"Ceph's by other means": {Objects: []string{cephCluster(3, "Ready"), block}, ID: DefaultClass,
			Change: step.Configured, Writes: []string{patch + "ocs-storagecluster-ceph-rbd"}, Sends: []string{annotate}},
		"Ceph's to come": {Objects: []string{foundation(), cephCluster(3, "Progressing")}, ID: DefaultClass,
			Change: step.Configured, Writes: []string{patchCluster}, Sends: []string{asks}},
		"Ceph's is asked for already": {Objects: []string{foundation(), cephDefault, block}, ID: DefaultClass,
			Change: step.Configured, Writes: []string{patch + "ocs-storagecluster-ceph-rbd"}, Sends: []string{annotate}},
		"LVM Storage's": {Objects: []string{lvmGroups("Ready"), class("lvms-vg1", "topolvm.io", "")}, ID: DefaultClass,
			Change: step.Configured, Writes: []string{patch + "lvms-vg1"}, Sends: []string{annotate}},
		"there is none": {ID: DefaultClass, Fails: "there is neither a StorageCluster nor an LVMCluster"},
		"chosen, marked already": {Objects: []string{class("a", "x.example", marked)}, Of: chosen("a"), ID: DefaultClass,
			Change: step.Unchanged},
		"chosen, the new one first": {Objects: []string{class("a", "x.example", ""), class("b", "x.example", bothMarks)},
			Of: chosen("a"), ID: DefaultClass, Change: step.Configured, Writes: []string{patch + "a", patch + "b"},
			Sends: []string{annotate, `{"metadata":{"annotations":{` +
				`"storageclass.beta.kubernetes.io/is-default-class":"false",` +
				`"storageclass.kubernetes.io/is-default-class":"false"}}}`}},
		"chosen instead of Ceph's: its field first": {Objects: []string{foundation(), cephDefault,
			class("a", "x.example", marked), class("ocs-storagecluster-ceph-rbd", cephBlock, marked)}, Of: chosen("a"),
			ID: DefaultClass, Change: step.Configured, Writes: []string{patchCluster},
			Sends: []string{`{"defaultStorageClass":false}`}},
		"the new one cannot be marked": {Objects: []string{class("a", "x.example", ""), class("b", "x.example", marked)},
			Refused: prereqtest.Forbidden("patch " + classesResource), Of: chosen("a"), ID: DefaultClass,
			Fails:  "StorageClass a",
			Writes: []string{patch + "a"}},
		"classes not to be read":     {Refused: prereqtest.Forbidden(classesResource), ID: DefaultClass, Fails: "Forbidden"},
		"LVMClusters not to be read": {Refused: prereqtest.Forbidden(lvmResource), ID: DefaultClass, Fails: "not allowed"},
		"StorageClusters not to be read": {Refused: prereqtest.Forbidden(clustersResource), Of: chosen("a"), ID: DefaultClass,
			Fails: "StorageClusters: Forbidden"},
		"operator not to be read": {Objects: []string{cephCluster(3, "Ready"), block},
			Refused: prereqtest.Forbidden(subscriptions),
			ID:      DefaultClass, Fails: "Forbidden"},
	})
}

func TestChecksOfTheClassInUse(t *testing.T) {
	fast := class("fast", "csi.example.com", marked)
	profile := `
---
{apiVersion: cdi.kubevirt.io/v1beta1, kind: StorageProfile, metadata: {name: fast},
  status: {provisioner: csi.example.com, claimPropertySets: [{accessModes: [ReadWriteMany], volumeMode: Block}]}}
`
	snapshots := `
---
{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshotClass, driver: csi.example.com,
  metadata: {name: snap, annotations: {snapshot.storage.kubernetes.io/is-default-class: "true"}}}
`
	cases := map[string]prereqtest.Case{
		"one default": {Objects: []string{fast}, ID: SingleDefaultClass, State: step.StateOK,
			Says: []string{"not more than one"}},
		"two defaults": {Objects: []string{fast, class("b", "x.example", marked)}, ID: SingleDefaultClass,
			State: step.StateMissing, Says: []string{"2 classes are marked as default: b, fast"}},
		"binding": {Objects: []string{fast}, ID: BindingMode, State: step.StateOK,
			Says: []string{"StorageClass fast", "Immediate"}},
		"etcd": {Objects: []string{fast}, ID: Etcd, State: step.StateOK, Says: []string{"StorageClass fast"}},
		"etcd on NFS": {Objects: []string{class("fast", "nfs.csi.k8s.io", marked)}, ID: Etcd, State: step.StateMissing,
			Says: []string{"serves NFS", "--etcd-storage-class"}},
		"etcd without a class": {ID: Etcd, State: step.StateSkipped, Says: []string{"there is no default class yet"}},
		"snapshots": {Objects: []string{fast, snapshots}, ID: SnapshotClass, State: step.StateOK,
			Says: []string{"snap for driver csi.example.com"}},
		"no snapshots": {Objects: []string{fast},
			Refused: map[string]int{"volumesnapshotclasses.snapshot.storage.k8s.io": 404},
			ID:      SnapshotClass, State: step.StateMissing, Says: []string{"no CSI snapshot controller"}},
		"snapshots not to be read": {Objects: []string{fast},
			Refused: prereqtest.Forbidden("volumesnapshotclasses.snapshot.storage.k8s.io"), ID: SnapshotClass,
			Says: []string{"VolumeSnapshotClasses", "not allowed"}},
		"profile": {Objects: []string{fast, profile}, ID: VolumeProfile, State: step.StateOK,
			Says: []string{"StorageProfile fast", "ReadWriteMany Block"}},
		"no profile yet": {Objects: []string{fast}, Kinds: []kube.Kind{kube.StorageProfile}, ID: VolumeProfile,
			State: step.StatePending, Says: []string{"has not created it yet"}},
		"no Virtualization": {Objects: []string{fast}, ID: VolumeProfile, State: step.StateSkipped,
			Says: []string{"OpenShift Virtualization is not there"}},
		"profile without a class": {ID: VolumeProfile, State: step.StateSkipped,
			Says: []string{"there is no default class yet"}},
		"profile not to be read": {Objects: []string{fast}, Refused: prereqtest.Forbidden("storageprofiles.cdi.kubevirt.io"),
			ID: VolumeProfile, Says: []string{"StorageProfile fast", "not allowed"}},
		"migration": {Objects: []string{fast, profile}, ID: LiveMigration, State: step.StateOK,
			Says: []string{"ReadWriteMany Block"}},
		"migration without a class": {ID: LiveMigration, State: step.StateSkipped},
	}
	for _, id := range []step.ID{SingleDefaultClass, BindingMode, Etcd, SnapshotClass, VolumeProfile, LiveMigration} {
		cases["no permission for "+string(id)] = prereqtest.Case{Refused: prereqtest.Forbidden(classesResource), ID: id,
			Says: []string{"StorageClasses", "not allowed"}}
	}
	run(t, cases)
}
