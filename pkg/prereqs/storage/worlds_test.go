package storage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// csiClass is a StorageClass with these annotations.
func csiClass(name, provisioner, annotations string) string {
	return fmt.Sprintf(`
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: %s, annotations: {%s}}, provisioner: %s,
  parameters: {csi.storage.k8s.io/fstype: ext4}}
`, name, annotations, provisioner)
}

// createdOn gives an object the day of January on which it was created.
func createdOn(document string, day int) string {
	return strings.Replace(document, "metadata: {", fmt.Sprintf("metadata: {creationTimestamp: \"2026-01-0%dT00:00:00Z\", ", day), 1)
}

// runs is a node with these CSI drivers.
func runs(drivers ...string) string {
	list := ""
	for _, d := range drivers {
		list += fmt.Sprintf("{name: %s, nodeID: w1},", d)
	}
	return fmt.Sprintf("\n---\n{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: w1}, spec: {drivers: [%s]}}\n", list)
}

const (
	byDefault  = `storageclass.kubernetes.io/is-default-class: "true"`
	forDisks   = `storageclass.kubevirt.io/is-default-virt-class: "true"`
	openShift  = "\n---\n{apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version}, status: {history: [{state: Completed, version: 4.20.3}]}}\n"
	csiExample = "csi.example.com"
)

func TestDeadProvisioner(t *testing.T) {
	dead, alive := csiClass("dead", "gone.example.com", byDefault), csiClass("fast", csiExample, "")
	all := Prerequisites(Validated{}, olm.Pins{})
	named := func(name string) []prereq.Prerequisite {
		return Prerequisites(Validated{Options: Options{DefaultClass: name}}, olm.Pins{})
	}
	prereqtest.Run(t, all, map[string]prereqtest.Case{
		"default": {ID: DefaultClass, Objects: []string{dead, alive, runs(csiExample)}, State: step.StateBroken,
			Says: []string{"StorageClass dead", "there is no CSIDriver gone.example.com",
				"hcctl bootstrap --default-storage-class fast"}},
		"the only class": {ID: DefaultClass, Objects: []string{dead, runs()}, State: step.StateBroken,
			Says: []string{"oc annotate storageclass dead " + defaultClassAnnotation + "-, then hcctl bootstrap"}},
		"before a hosted cluster is created": {ID: DefaultClass, Objects: []string{dead, runs()}, State: step.StateBroken,
			Wanted: &prereq.Wanted{DefaultClass: true}},
		"of virtual machines' disks": {ID: DefaultClass, Objects: []string{csiClass("dead", "gone.example.com", forDisks),
			csiClass("fast", csiExample, byDefault), runs(csiExample)}, State: step.StateBroken,
			Says: []string{"oc annotate storageclass dead " + virtClassAnnotation + "-"}},
		"chosen": {ID: DefaultClass, Of: named("dead"), Objects: []string{dead, runs()}, State: step.StateBroken},
		"chosen, and runs": {ID: DefaultClass, Of: named("fast"), Objects: []string{csiClass("fast", csiExample, byDefault),
			runs(csiExample)}, State: step.StateOK},
		"may not be known": {ID: DefaultClass, Objects: []string{dead, runs()}, State: step.StateOK,
			Refused: prereqtest.Forbidden("csinodes.storage.k8s.io")},
		"of two defaults the one that works is to be kept": {ID: SingleDefaultClass, State: step.StateMissing,
			Objects: []string{createdOn(dead, 2), createdOn(csiClass("fast", csiExample, byDefault), 1), runs(csiExample)},
			Says:    []string{"hcctl bootstrap --default-storage-class fast keeps that one"}},
		"known to run": {ID: Provisioner, Objects: []string{csiClass("fast", csiExample, byDefault), runs(csiExample)},
			State: step.StateOK, Says: []string{"runs on 1 of 1 nodes"}},
		"not known": {ID: Provisioner, Objects: []string{csiClass("nfs", "example.com/nfs", byDefault), runs()},
			State: step.StateUnknown, Says: []string{"is not known"}},
		"not known, of virtual machines' disks": {ID: Provisioner, State: step.StateUnknown, Says: []string{"StorageClass nfs"},
			Objects: []string{csiClass("nfs", "example.com/nfs", forDisks), csiClass("fast", csiExample, byDefault), runs(csiExample)}},
		"no class":         {ID: Provisioner, Objects: []string{runs()}, State: step.StateSkipped},
		"makes none":       {ID: Provisioner, Objects: []string{csiClass("l", noProvisioner, byDefault), runs()}, State: step.StateSkipped},
		"none asked for":   {ID: Provisioner, Of: Prerequisites(Validated{Options: Options{Mode: ModeNone}}, olm.Pins{}), State: step.StateSkipped},
		"claims unread":    {ID: Provisioner, Objects: []string{csiClass("fast", csiExample, byDefault), runs(csiExample)}, State: step.StateUnknown, Refused: prereqtest.Forbidden("persistentvolumeclaims")},
		"classes not read": {ID: Provisioner, State: step.StateUnknown, Refused: prereqtest.Forbidden("storageclasses.storage.k8s.io")},
	})
}

// An operator that is broken while claims use its volumes is mended where it is.
func TestBrokenOperatorOfVolumesInUse(t *testing.T) {
	const csv = "odf-operator.v4.20.1"
	version := func(name, phase, reason string) string {
		return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: %s, namespace: openshift-storage},
  spec: {version: 4.20.1}, status: {phase: %s, reason: %s, message: broken}}
`, name, phase, reason)
	}
	volume := func(driver, phase string) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {csi: {driver: %s, volumeHandle: h}}, status: {phase: %s}}
`, driver, phase)
	}
	const ceph = "openshift-storage.rbd.csi.ceph.com"
	const cluster = "\n---\n{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {name: sc, namespace: openshift-storage}, status: {phase: Ready}}\n"
	world := func(objects ...string) []string { return append([]string{cluster, openShift}, objects...) }
	broken := prereqtest.Installed("odf-operator", "openshift-storage", csv) + version(csv, "Failed", "InvalidInstallStrategy")
	odf := prereqtest.Installed("odf-operator", "openshift-storage", csv)
	cases := map[string]prereqtest.Case{
		"in use": {Objects: world(broken, volume(ceph, "Bound")), State: step.StateBroken, Says: []string{"claims have 1 volume that it made",
			"repair it in place: oc describe clusterserviceversion " + csv + " -n openshift-storage"}},
		"released":                      {Objects: world(broken, volume(ceph, "Released")), State: step.StateBroken, Says: []string{"oc delete csv"}},
		"others' volumes":               {Objects: world(broken, volume("csi.example.com", "Bound")), State: step.StateBroken, Says: []string{"oc delete csv"}},
		"volumes not read":              {Objects: world(broken, volume(ceph, "Bound")), State: step.StateBroken, Refused: prereqtest.Forbidden("persistentvolumes")},
		"of what it brings":             {Objects: world(odf, version("ocs-operator.v4.20.1", "Failed", "InvalidInstallStrategy"), volume(ceph, "Bound")), State: step.StateBroken, Says: []string{"ocs-operator.v4.20.1", "claims have 1 volume"}},
		"what it brings, of no concern": {Objects: world(odf, version("recipe.v4.20.1", "Failed", "InvalidInstallStrategy")), State: step.StateOK},
		"well":                          {Objects: world(odf, version("ocs-operator.v4.20.1", "Succeeded", "InstallSucceeded"), volume(ceph, "Bound")), State: step.StateOK},
		"a Subscription beside it that cannot be resolved": {Objects: world(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: other, namespace: openshift-storage},
  spec: {name: other}, status: {installedCSV: other.v1, conditions: [{type: ResolutionFailed, status: "True",
    reason: ConstraintsNotSatisfiable, message: odd}]}}
---
{apiVersion: packages.operators.coreos.com/v1, kind: PackageManifest, metadata: {name: odf-operator, namespace: openshift-marketplace},
  status: {catalogSource: redhat-operators, catalogSourceNamespace: openshift-marketplace, packageName: odf-operator,
    defaultChannel: stable-4.20, channels: [{name: stable-4.20, currentCSV: odf-operator.v4.20.1, currentCSVDesc: {version: 4.20.1,
      installModes: [{type: OwnNamespace, supported: true}]}}]}}
`, strings.ReplaceAll(cluster, "phase: Ready", "phase: Error")), State: step.StateBroken, Says: []string{"OLM would install nothing in namespace openshift-storage"}},
	}
	for name, c := range cases {
		c.ID = DataFoundation
		cases[name] = c
	}
	prereqtest.Run(t, Prerequisites(Validated{Options: Options{Mode: ModeDataFoundation}}, olm.Pins{}), cases)
	prereqtest.Run(t, Prerequisites(Validated{Options: Options{Mode: ModeLVM}}, olm.Pins{}), map[string]prereqtest.Case{
		"LVM Storage": {ID: LVMOperator, State: step.StateBroken, Says: []string{"claims have 1 volume", "repair it in place"},
			Objects: []string{openShift, prereqtest.Installed("lvms-operator", "openshift-storage", "lvms-operator.v4.20.1"),
				version("lvms-operator.v4.20.1", "Failed", "InvalidInstallStrategy"), volume("topolvm.io", "Bound")}},
	})
}

// What somebody is deleting is told, and is not waited for in silence.
func TestStorageBeingDeleted(t *testing.T) {
	gone := []string{"being deleted since 2026-01-01T00:00:00Z", "finalizers keep it: example.com/hold"}
	prereqtest.Run(t, Prerequisites(Validated{Options: Options{Mode: ModeDataFoundation}}, olm.Pins{}), map[string]prereqtest.Case{
		"StorageCluster": {ID: Cluster, State: step.StatePending, Trouble: true, Says: gone, Objects: []string{prereqtest.Deleted(
			"{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {name: sc, namespace: ns}, status: {phase: Ready}}")}},
	})
	prereqtest.Run(t, Prerequisites(Validated{Options: Options{Mode: ModeLVM}}, olm.Pins{}), map[string]prereqtest.Case{
		"LVMCluster": {ID: LVMCluster, State: step.StatePending, Trouble: true, Says: gone, Objects: []string{prereqtest.Deleted(
			"{apiVersion: lvm.topolvm.io/v1alpha1, kind: LVMCluster, metadata: {name: l, namespace: ns}, status: {state: Ready, ready: true}}")}},
	})
}
