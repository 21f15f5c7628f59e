package storage

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// hostPathOf is a HostPathProvisioner; conditions are Available, Progressing and Degraded, each with its reason.
func hostPathOf(name, labels, spec, available, progressing, degraded string) string {
	condition := func(kind, words string) string {
		status, reason, _ := strings.Cut(words, " ")
		return "{type: " + kind + ", status: '" + status + "', reason: '" + reason + "', message: words}"
	}
	return `
---
{apiVersion: hostpathprovisioner.kubevirt.io/v1beta1, kind: HostPathProvisioner, metadata: {name: ` + name + `,
  labels: {` + labels + `}}, spec: ` + spec + `, status: {conditions: [` + condition("Available", available) + `,
  ` + condition("Progressing", progressing) + `, ` + condition("Degraded", degraded) + `]}}
`
}

func TestHostPath(t *testing.T) {
	const (
		local   = "{storagePools: [{name: local, path: /var/hpvolumes}]}"
		by      = "app.kubernetes.io/managed-by: hcctl"
		objects = "hostpathprovisioners.hostpathprovisioner.kubevirt.io"
	)
	well := hostPathOf(hostPathName, by, local, "True Complete", "False", "False")
	deploys := hostPathOf(hostPathName, by, local, "False", "True DeployStarted", "False")
	others := hostPathOf("mine", "", "{storagePools: [{name: fast, path: /var/fast}]}", "True Complete", "False", "False")
	legacy := hostPathOf("mine", "", "{pathConfig: {path: /var/old}}", "True Complete", "False", "False")
	nowhere := hostPathOf("mine", "", "{storagePools: [{name: a, path: /var/a}], workload: {nodeSelector: {disk: big}}}",
		"False", "True DeployStarted", "False")
	driver := class(hostPathClass, hostPathDriver, "")
	daemon := `
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: hostpath-provisioner-csi, namespace: openshift-cnv, generation: 1,
    ownerReferences: [{apiVersion: hostpathprovisioner.kubevirt.io/v1beta1, kind: HostPathProvisioner,
      name: hostpath-provisioner, uid: uid-of-hostpath-provisioner, controller: true}]},
  status: {observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 1}}
` + prereqtest.Warning("openshift-cnv", "DaemonSet", hostPathWorkload, "FailedCreate", "pods are forbidden")
	asked := with(Options{Mode: ModeHostPath})
	elsewhere := with(Options{Mode: ModeHostPath, HostPath: "/var/lab"})
	cases := map[string]prereqtest.Case{
		"not asked for": {Of: with(Options{Mode: ModeLVM}), State: step.StateOK, Says: []string{"not needed: --storage lvms"}},
		"none": {State: step.StateMissing, Says: []string{"volumes would be in /var/hpvolumes of the nodes; mind",
			"cannot be migrated live"}},
		"not to be read": {Refused: prereqtest.Forbidden(objects), State: step.StateUnknown, Says: []string{"not allowed"}},
		"without class":  {Objects: []string{well}, State: step.StateMissing, Says: []string{"no StorageClass is for its volumes"}},
		"well":           {Objects: []string{well, driver}, State: step.StateOK, Says: []string{"volumes in /var/hpvolumes; for labs"}},
		"well, in another place": {Objects: []string{well, driver}, Of: elsewhere, State: step.StateOK,
			Says: []string{"volumes in /var/hpvolumes, and not in /var/lab: one that exists is not changed"}},
		"of others, by spec.pathConfig": {Objects: []string{legacy, driver}, State: step.StateOK, Says: []string{"in /var/old"}},
		"deploys":                       {Objects: []string{deploys}, State: step.StatePending, Says: []string{"Progressing True (DeployStarted)"}},
		"its DaemonSet does not start": {Objects: []string{deploys, daemon}, State: step.StatePending, Trouble: true,
			Says: []string{"FailedCreate: pods are forbidden; so HostPathProvisioner hostpath-provisioner: Progressing"}},
		"selects no node": {Objects: []string{nowhere, worker("w1", "")}, State: step.StateBroken,
			Says: []string{"spec.workload.nodeSelector selects no node", "oc get nodes --show-labels"}},
		"a pass failed": {Objects: []string{hostPathOf("mine", "", local, "False", "True", "True Reconcile Failed")},
			State: step.StatePending, Trouble: true, Says: []string{"Degraded True (Reconcile Failed): words"}},
		"is upgraded": {Objects: []string{hostPathOf("mine", "", local, "True", "True", "True UpgradeStarted")},
			State: step.StatePending, Says: []string{"UpgradeStarted"}},
		"two": {Objects: []string{well, others}, State: step.StateBroken,
			Says: []string{"there are 2 of them, and its operator works for none: hostpath-provisioner, mine"}},

		"make both": {Kinds: []kube.Kind{kube.HostPathProvisioner}, Change: step.Created, Writes: []string{"patch " + objects + " hostpath-provisioner",
			"patch storageclasses.storage.k8s.io hostpath-csi"}, Sends: []string{`"path":"/var/hpvolumes"`,
			`"storagePool":"local"`}},
		"make the class for one of others": {Objects: []string{others}, Change: step.Created,
			Writes: []string{"patch storageclasses.storage.k8s.io hostpath-csi"}, Sends: []string{`"storagePool":"fast"`}},
		"make the class for spec.pathConfig": {Objects: []string{legacy}, Change: step.Created,
			Writes: []string{"patch storageclasses.storage.k8s.io hostpath-csi"}, Sends: []string{`"provisioner":"kubevirt`}},
		"leave what is there": {Objects: []string{others, class("theirs", hostPathDriver, "")}, Change: step.Unchanged},
	}
	for name, c := range cases {
		if c.Of == nil {
			c.Of = asked
		}
		if c.ID == "" {
			c.ID = HostPath
		}
		cases[name] = c
	}
	prereqtest.Run(t, asked, cases)
}

func TestRemoveHostPath(t *testing.T) {
	own := hostPathOf(hostPathName, "app.kubernetes.io/managed-by: hcctl", "{storagePools: [{name: local, path: /var/a}]}",
		"True Complete", "False", "False")
	ownClass := strings.Replace(class(hostPathClass, hostPathDriver, ""), "name: ", "labels: {app.kubernetes.io/managed-by: "+
		"hcctl}, name: ", 1)
	volume := func(phase, policy string) string {
		return `
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-1}, spec: {persistentVolumeReclaimPolicy: ` + policy + `,
  csi: {driver: kubevirt.io.hostpath-provisioner, volumeHandle: x}}, status: {phase: ` + phase + `}}
`
	}
	used := claim("vms", "disk", hostPathClass)
	const remove = "delete hostpathprovisioners.hostpathprovisioner.kubevirt.io hostpath-provisioner"
	run(t, map[string]prereqtest.Case{
		"of others": {Objects: []string{strings.Replace(own, "managed-by: hcctl", "name: x", 1)}, ID: prereq.RemoveHostPath,
			State: step.StateOK, Says: []string{"left as it is: hcctl did not create it"}},
		"there": {Objects: []string{own, ownClass}, ID: prereq.RemoveHostPath, State: step.StateMissing,
			Says: []string{"created by hcctl and still there (all data on it is lost)"}},
		"claimed": {Objects: []string{own, ownClass, used}, ID: prereq.RemoveHostPath, State: step.StateBroken,
			Says: []string{"1 PersistentVolumeClaim on it: vms/disk"}},
		"nothing else goes from under the claim": {Objects: []string{own, ownClass, used}, ID: removeClaims,
			State: step.StateBroken, Says: []string{"1 PersistentVolumeClaim on it: vms/disk"}},
		"nor its class": {Objects: []string{own, ownClass, used}, ID: removeHostPathClass, State: step.StateBroken,
			Says: []string{"1 PersistentVolumeClaim on it: vms/disk"}},
		"a volume is kept": {Objects: []string{own, volume("Released", "Retain")}, ID: prereq.RemoveHostPath,
			State: step.StateBroken, Says: []string{"nobody deletes them once it is gone: PersistentVolume pv-1"}},
		"a volume goes": {Objects: []string{own, volume("Released", "Delete")}, ID: prereq.RemoveHostPath,
			State: step.StatePending, Says: []string{"volumes of it are being deleted"}},
		"remove": {Objects: []string{own}, ID: prereq.RemoveHostPath, Change: step.Deleted, Writes: []string{remove}},
		"remove the class": {Objects: []string{ownClass}, ID: removeHostPathClass, Change: step.Deleted,
			Writes: []string{"delete storageclasses.storage.k8s.io hostpath-csi"}},
		"never from under a claim": {Objects: []string{own, ownClass, used}, ID: prereq.RemoveHostPath,
			Change: step.Unchanged},
	})
}

func TestHostPathIsBelowVar(t *testing.T) {
	for path, ok := range map[string]bool{"": true, "/var/hpvolumes": true, "/var/mnt/disk-1/v_2": true, "/var/library": true,
		"/data": false, "/var": false, "/var/": false, "/var/a/../lib": false, "/var//a": false, "/var/.a": false,
		"var/a": false, "/var/a b": false, "/var/lib": false, "/var/lib/kubelet": false, "/var/log/x": false,
		"/var/" + strings.Repeat("x", 251): false} {
		_, err := Options{HostPath: path}.Validate()
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "storage.hostPath") {
			t.Errorf("%q: %v", path, err)
		}
	}
}
