package storage

import (
	"fmt"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestWhatStorageIsNeeded(t *testing.T) {
	exists := class("fast", "csi.example.com", marked)
	run(t, map[string]prereqtest.Case{
		"a class is there": {Objects: []string{exists}, ID: Cluster, State: step.StateOK,
			Says: []string{"StorageClass fast", "not needed: default StorageClass fast is there"}},
		"a class is there, no permission to more": {Objects: []string{exists}, Refused: prereqtest.Forbidden(lvmResource),
			ID: LVMCluster, State: step.StateOK, Says: []string{"not needed"}},
		"no permission for classes": {Refused: prereqtest.Forbidden(classesResource), ID: LocalStorageOperator,
			Says: []string{"StorageClasses", "not allowed"}},
		"no permission for StorageClusters": {Refused: prereqtest.Forbidden(clustersResource), ID: DataFoundation,
			Says: []string{"StorageClusters", "not allowed"}},
		"no permission for LVMClusters": {Refused: prereqtest.Forbidden(lvmResource), ID: DataFoundation,
			Says: []string{"LVMClusters", "not allowed"}},
		"a StorageCluster decides, no permission to more": {Objects: []string{cephCluster(3, "Ready")},
			Refused: prereqtest.Forbidden(lvmResource), ID: Cluster, State: step.StateOK, Says: []string{"Ready"}},
		"a named class takes all facts": {Objects: []string{cephCluster(3, "Ready")},
			Refused: prereqtest.Forbidden(lvmResource),
			Of:      with(Options{DefaultClass: "fast"}), ID: Cluster, Says: []string{"LVMClusters", "not allowed"}},
		"LVM Storage is there": {Objects: []string{lvmGroups("Ready")}, ID: Cluster, State: step.StateOK,
			Says: []string{"LVMCluster openshift-lvm-storage/lvmcluster", "not needed", "lvms-vg1"}},
		"LVM Storage is asked for": {Of: with(Options{Mode: ModeLVM}), ID: Cluster, State: step.StateOK,
			Says: []string{"not needed: --storage lvms"}},
	})
}

func TestDataFoundationOperator(t *testing.T) {
	offered := prereqtest.ClusterVersion("4.20.3") +
		prereqtest.Offered("odf-operator", operatorsNamespace, "stable-4.20", operatorCSV)
	const unresolved = `
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: odf-dependencies, namespace: openshift-storage},
  spec: {name: odf-dependencies, channel: stable-4.20, source: redhat-operators, sourceNamespace: openshift-marketplace},
  status: {conditions: [{type: ResolutionFailed, status: "True", reason: ConstraintsNotSatisfiable, message:
    "constraints not satisfiable: bundle odf-dependencies requires an operator with package: ocs-operator"}]}}
`
	run(t, map[string]prereqtest.Case{
		"bare": {Objects: []string{offered}, ID: DataFoundation, State: step.StateMissing,
			Says: []string{"OpenShift Data Foundation is not installed", operatorCSV}},
		"installed": {Objects: []string{foundation()}, Kinds: []kube.Kind{kube.StorageCluster}, ID: DataFoundation,
			State: step.StateOK, Says: []string{operatorCSV + " is installed"}},
		"its kind is not there yet": {Objects: []string{foundation()}, ID: DataFoundation, State: step.StatePending,
			Says: []string{"waiting for the ocs-operator"}},
		"a Subscription that it made is not resolved": {Objects: []string{foundation(), unresolved}, ID: DataFoundation,
			State: step.StatePending, Trouble: true, Says: []string{"Subscription openshift-storage/odf-dependencies: OLM finds " +
				"nothing to install (ConstraintsNotSatisfiable): constraints not satisfiable: bundle odf-dependencies requires",
				"waiting for the ocs-operator", "oc get packagemanifest odf-dependencies"}},
		"its kind cannot be read": {Objects: []string{foundation()}, Refused: prereqtest.Forbidden(clustersResource),
			Of: with(Options{Mode: ModeDataFoundation}), ID: DataFoundation, Says: []string{"StorageClusters", "not allowed"}},
		"by other means": {Objects: []string{offered, cephCluster(3, "Ready")}, ID: DataFoundation, State: step.StateOK,
			Says: []string{"installed by other means than a Subscription: Ready"}},
		"by other means, not well": {Objects: []string{offered, cephCluster(3, "Progressing")}, ID: DataFoundation,
			State: step.StateMissing, Says: []string{"is not installed"}},
		"no permission": {Refused: prereqtest.Forbidden(subscriptions), ID: DataFoundation,
			Says: []string{"Subscriptions", "not allowed"}},
		"install": {Objects: []string{offered}, ID: DataFoundation, Change: step.Created,
			Writes: []string{"create namespaces", "create operatorgroups.operators.coreos.com openshift-storage/",
				"create subscriptions.operators.coreos.com openshift-storage/"},
			Sends: []string{`"channel":"stable-4.20"`, `"targetNamespaces":["openshift-storage"]`}},
		"install, and show it in the console": {Objects: []string{offered, console("[kubevirt-plugin]", "person")},
			ID: DataFoundation, Change: step.Created, Writes: []string{"patch consoles.operator.openshift.io cluster",
				"create namespaces", "create operatorgroups.operators.coreos.com openshift-storage/",
				"create subscriptions.operators.coreos.com openshift-storage/"},
			Sends: []string{`"plugins":["kubevirt-plugin","odf-console"]`, `"resourceVersion":`}},
		"the console shows it already": {Objects: []string{offered, console("[odf-console]", "person")},
			ID: DataFoundation, Change: step.Created, Writes: []string{
				"create namespaces", "create operatorgroups.operators.coreos.com openshift-storage/",
				"create subscriptions.operators.coreos.com openshift-storage/"}},
		"console not to be read": {Objects: []string{offered},
			Refused: prereqtest.Forbidden("consoles.operator.openshift.io"), ID: DataFoundation, Fails: "reading the Console"},
	})
}

// console is the web console with a list of plugins that a field manager set.
func console(plugins, manager string) string {
	return fmt.Sprintf(`
---
{apiVersion: operator.openshift.io/v1, kind: Console, metadata: {name: cluster, managedFields: [{manager: %s,
    operation: Update, apiVersion: operator.openshift.io/v1, fieldsType: FieldsV1,
    fieldsV1: {"f:spec": {"f:plugins": {}}}}]}, spec: {plugins: %s}}
`, manager, plugins)
}

func TestRemovalOfTheConsolePlugin(t *testing.T) {
	operator := []string{"patch clusterserviceversions.operators.coreos.com openshift-storage/" + operatorCSV,
		"delete subscriptions.operators.coreos.com openshift-storage/odf-operator",
		"delete clusterserviceversions.operators.coreos.com openshift-storage/" + operatorCSV}
	run(t, map[string]prereqtest.Case{
		"hcctl's own": {Objects: []string{foundation(), console("[kubevirt-plugin, odf-console]", "hcctl")},
			ID: removeDataFoundation, Change: step.Deleted,
			Writes: append([]string{"patch consoles.operator.openshift.io cluster"}, operator...),
			Sends:  []string{`"plugins":["kubevirt-plugin"]`}},
		"a person's": {Objects: []string{foundation(), console("[odf-console]", "person")}, ID: removeDataFoundation,
			Change: step.Deleted, Writes: operator},
	})
}

func TestLocalStorageOperator(t *testing.T) {
	offered := prereqtest.ClusterVersion("4.20.3") + prereqtest.Offered("local-storage-operator",
		"openshift-local-storage", "stable", "local-storage-operator.v4.20.0")
	other := `
---
{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {name: mine, namespace: openshift-storage},
  spec: {storageDeviceSets: [{dataPVCTemplate: {spec: {storageClassName: san}}}]}}
`
	external := `
---
{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {name: far, namespace: openshift-storage},
  spec: {externalStorage: {enable: true}}}
`
	run(t, map[string]prereqtest.Case{
		"bare": {Objects: []string{offered}, ID: LocalStorageOperator, State: step.StateMissing,
			Says: []string{"Local Storage Operator is not installed"}},
		"installed": {Objects: []string{localStorage()}, ID: LocalStorageOperator, State: step.StateOK,
			Says: []string{"local-storage-operator.v4.20.0"}},
		"Ceph is on its volumes": {Objects: []string{localStorage(), volumeSet, cephCluster(3, "Ready")},
			ID: LocalStorageOperator, State: step.StateOK, Says: []string{"local-storage-operator.v4.20.0"}},
		"Ceph is on a LocalVolume": {Objects: []string{localStorage(), localVolume, foreignCeph},
			Kinds: []kube.Kind{kube.LocalVolumeSet}, ID: LocalStorageOperator, State: step.StateOK,
			Says: []string{"local-storage-operator.v4.20.0"}},
		"Ceph is on a LocalVolume, without OLM's operator": {Objects: []string{offered, localVolume, foreignCeph},
			Kinds: []kube.Kind{kube.LocalVolumeSet}, ID: LocalStorageOperator, State: step.StateOK,
			Says: []string{"not needed", "on volumes of class localblock"}},
		"Ceph is on others": {Objects: []string{other}, ID: LocalStorageOperator, State: step.StateOK,
			Says: []string{"not needed: StorageCluster openshift-storage/mine is there, on volumes of class san"}},
		"Ceph is elsewhere": {Objects: []string{external}, ID: LocalStorageOperator, State: step.StateOK,
			Says: []string{"not needed", "on Ceph outside the cluster"}},
		"no permission for the StorageCluster": {Of: with(Options{Mode: ModeDataFoundation}),
			Refused: prereqtest.Forbidden(clustersResource), ID: LocalStorageOperator,
			Says: []string{"StorageClusters", "not allowed"}},
	})
}

func TestLVMOperator(t *testing.T) {
	lvm := with(Options{Mode: ModeLVM})
	offered := prereqtest.ClusterVersion("4.20.3") +
		prereqtest.Offered("lvms-operator", "openshift-lvm-storage", "stable-4.20", "lvms-operator.v4.20.1")
	namespace := func(labels string) string {
		return `
---
{apiVersion: v1, kind: Namespace, metadata: {name: openshift-lvm-storage, labels: {` + labels + `}}}
`
	}
	const privileged = "pod-security.kubernetes.io/enforce: privileged"
	prereqtest.Run(t, lvm, map[string]prereqtest.Case{
		"not wanted": {Of: with(Options{}), ID: LVMOperator, State: step.StateOK, Says: []string{"not needed"}},
		"bare": {Objects: []string{offered}, ID: LVMOperator, State: step.StateMissing,
			Says: []string{"LVM Storage is not installed"}},
		"installed": {Objects: []string{lvmStorage(), namespace(privileged)}, ID: LVMOperator, State: step.StateOK,
			Says: []string{"lvms-operator.v4.20.1 is installed"}},
		"namespace not labelled": {Objects: []string{lvmStorage(), namespace("a: b")}, ID: LVMOperator,
			State: step.StateMissing, Says: []string{"Namespace openshift-lvm-storage",
				"label pod-security.kubernetes.io/enforce is not there"}},
		"namespace restricted": {Objects: []string{lvmStorage(),
			namespace("pod-security.kubernetes.io/enforce: restricted")}, ID: LVMOperator, State: step.StateBroken,
			Says: []string{"is restricted", "oc label namespace openshift-lvm-storage --overwrite"}},
		"namespace not to be read": {Objects: []string{lvmStorage()}, Refused: prereqtest.Forbidden("namespaces"),
			ID:   LVMOperator,
			Says: []string{"Namespace openshift-lvm-storage", "not allowed"}},
		"no permission": {Refused: prereqtest.Forbidden(subscriptions), ID: LVMOperator,
			Says: []string{"Subscriptions", "not allowed"}},
		"by other means": {Objects: []string{offered, lvmGroups("Ready")}, ID: LVMOperator, State: step.StateOK,
			Says: []string{"installed by other means"}},
		"install": {Objects: []string{offered}, ID: LVMOperator, Change: step.Created,
			Writes: []string{"patch namespaces openshift-lvm-storage",
				"create namespaces", "create operatorgroups.operators.coreos.com openshift-lvm-storage/",
				"create subscriptions.operators.coreos.com openshift-lvm-storage/"},
			Sends: []string{`"pod-security.kubernetes.io/enforce":"privileged"`,
				`"pod-security.kubernetes.io/warn":"privileged"`}},
		"label what is installed": {Objects: []string{lvmStorage()}, ID: LVMOperator, Change: step.Configured,
			Writes: []string{"patch namespaces openshift-lvm-storage"},
			Sends:  []string{`"pod-security.kubernetes.io/enforce":"privileged"`}},
		"not on offer": {Objects: []string{prereqtest.ClusterVersion("4.20.3")}, ID: LVMOperator,
			Fails: "LVM Storage: no catalog offers it"},
		"Subscriptions cannot be read": {Refused: prereqtest.Forbidden(subscriptions), ID: LVMOperator,
			Fails: "listing Subscriptions"},
		"namespace cannot be written": {Objects: []string{offered}, Refused: prereqtest.Forbidden("patch namespaces"),
			ID:    LVMOperator,
			Fails: "Namespace openshift-lvm-storage", Writes: []string{"patch namespaces openshift-lvm-storage"}},
	})
}
