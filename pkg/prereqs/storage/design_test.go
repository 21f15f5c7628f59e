package storage

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/design"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// roomy is a worker with room, of which a pod takes a part.
func roomy(name, zone string) string {
	return `
---
{apiVersion: v1, kind: Node, metadata: {name: ` + name + `, labels: {node-role.kubernetes.io/worker: "",
    kubernetes.io/hostname: ` + name + `, topology.kubernetes.io/zone: "` + zone + `"}},
  status: {conditions: [{type: Ready, status: "True"}], allocatable: {cpu: "9", memory: 20Gi, pods: "250"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: on-` + name + `, namespace: ns}, spec: {nodeName: ` + name + `,
  containers: [{name: a, image: a, resources: {requests: {cpu: "1", memory: 2Gi}}}]}}
`
}

func designed(o design.Options) Options { return Options{Design: o} }

func TestWhatAStorageClusterIsGoingToRequest(t *testing.T) {
	three := roomy("w1", "") + roomy("w2", "") + roomy("w3", "")
	offered := prereqtest.ClusterVersion("4.20.3") +
		prereqtest.Offered("odf-operator", operatorsNamespace, "stable-4.20", operatorCSV)
	run(t, map[string]prereqtest.Case{
		"disks unknown": {Objects: []string{offered}, ID: Cluster, State: step.StateMissing,
			Says: []string{"there is no StorageCluster; one of OpenShift Data Foundation 4.20 requests CPU 14.0 and memory 37Gi, " +
				"and CPU 2.0 and memory 5Gi more for each disk"}},
		"volumes are there": {Objects: []string{foundation(), three, threeVolumes("")}, ID: Cluster,
			State: step.StateMissing, Says: []string{"requests CPU 20.0 and memory 52Gi with 3 disks",
				"free on 3 storage nodes: CPU 24.0 and memory 54Gi"}},
		"not enough room": {Objects: []string{foundation(), roomy("w1", ""), threeVolumes("")}, ID: Cluster,
			State: step.StateMissing, Says: []string{"free on 1 storage node: CPU 8.0 and memory 18Gi, which is not enough"}},
		"pods not to be read": {Objects: []string{foundation(), three, threeVolumes("")},
			Refused: prereqtest.Forbidden("pods"), ID: Cluster, State: step.StateMissing, Says: []string{"with 3 disks"}},
		"lean, without gateways": {Objects: []string{foundation(), three, threeVolumes("")}, ID: Cluster,
			Of: with(designed(design.Options{Profile: design.Lean, Gateways: design.NoGateways})), State: step.StateMissing,
			Says: []string{"requests CPU 9.0 and memory 18Gi with 3 disks"}},
		"not all disks": {Objects: []string{foundation(), three, roomy("w4", ""), threeVolumes(""), volume("w4", "sdb", "")},
			ID: Cluster, Of: with(designed(design.Options{DeviceSets: 3})), State: step.StateMissing,
			Says: []string{"with 3 disks"}},
		"disks that would be taken": {Objects: []string{foundation(), localStorage(), three, discovery,
			found("w1", "Available"), found("w2", "Available"), found("w3", "Available")}, ID: Cluster,
			State: step.StateMissing, Says: []string{"with 3 disks; free on 3 storage nodes: CPU 24.0 and memory 54Gi"}},
		"not so many disks to take": {Objects: []string{foundation(), localStorage(), three, discovery,
			found("w1", "Available"), found("w2", "Available"), found("w3", "Available")}, ID: LocalVolumes,
			Kinds: []kube.Kind{kube.LocalVolumeSet, kube.LocalVolume},
			Of:    with(designed(design.Options{DeviceSets: 4})), State: step.StateBroken,
			Says: []string{"cannot be met: the device set can have a count of 3 to 3 with the free disks, not 4"}},
		"not so many disks": {Objects: []string{foundation(), three, threeVolumes("")}, ID: Cluster,
			Of: with(designed(design.Options{DeviceSets: 4})), State: step.StateBroken,
			Says: []string{"count of 3 to 3 with the free disks, not 4"}},
	})
}

// A plan shows the finding's lines, whatever else it says of the step.
func TestTheLinesOfWhatIsRequested(t *testing.T) {
	api := prereqtest.Serve(t)
	api.Register(t, kube.StorageCluster)
	api.Put(t, foundation(), roomy("w1", "")+roomy("w2", "")+roomy("w3", ""), threeVolumes(""))
	f := storageCluster{common{}}.foresee(t.Context(), api.Client)
	for _, want := range []string{"osd             3 x CPU 2, memory 5Gi", "in all: CPU 20.0 and memory 52Gi",
		"free: CPU 24.0 and memory 54Gi"} {
		if !strings.Contains(f.Detail, want) {
			t.Errorf("no %q in\n%s", want, f.Detail)
		}
	}
}

// Nothing is installed and no disk is taken for a StorageCluster that cannot be had.
func TestSettingsThatCannotBeMet(t *testing.T) {
	offered := prereqtest.ClusterVersion("4.14.9") +
		prereqtest.Offered("odf-operator", operatorsNamespace, "stable-4.14", "odf-operator.v4.14.6")
	lean := with(designed(design.Options{Profile: design.Lean}))
	zones := with(designed(design.Options{Spread: design.OverZones}))
	const says = "resource profile lean: OpenShift Data Foundation 4.14 has no resource profiles"
	cases := map[string]prereqtest.Case{
		"apply": {Objects: []string{prereqtest.Installed("odf-operator", operatorsNamespace, "odf-operator.v4.14.6"),
			threeVolumes("")}, Kinds: []kube.Kind{kube.StorageCluster, kube.StorageSystem}, Of: lean, ID: Cluster, Fails: says},
		"nothing said": {Objects: []string{offered}, ID: DataFoundation, State: step.StateMissing,
			Says: []string{"is not installed"}},
		"a StorageCluster is there": {Objects: []string{offered, cephCluster(3, "Ready")}, Of: lean, ID: Cluster,
			State: step.StateOK, Says: []string{"Ready; hcctl does not change a StorageCluster to fit the settings: " +
				"the resource profile is balanced, not lean"}},
	}
	for _, id := range []step.ID{LocalStorageOperator, DataFoundation, LocalVolumes, Cluster} {
		cases["release: "+string(id)] = prereqtest.Case{Objects: []string{offered}, Of: lean, ID: id,
			Kinds: []kube.Kind{kube.LocalVolumeSet, kube.LocalVolume}, State: step.StateBroken, Says: []string{says}}
		cases["zones: "+string(id)] = prereqtest.Case{Objects: []string{offered, roomy("w1", "a"), roomy("w2", "b")},
			Of: zones, ID: id, Kinds: []kube.Kind{kube.LocalVolumeSet, kube.LocalVolume}, State: step.StateBroken,
			Says: []string{"the workers are in 2 zones", "3 are needed"}}
	}
	run(t, cases)
}

func TestApplySettings(t *testing.T) {
	const makeCluster = "patch " + clustersResource + " openshift-storage/ocs-storagecluster"
	zoned := roomy("w1", "a") + roomy("w2", "b") + roomy("w3", "c")
	marked := class("virt", "x.example", "storageclass.kubevirt.io/is-default-virt-class: 'true'")
	create := func(o design.Options, objects []string, sends ...string) prereqtest.Case {
		return prereqtest.Case{Objects: append([]string{foundation(), threeVolumes("")}, objects...),
			Kinds: []kube.Kind{kube.StorageCluster}, Of: with(designed(o)), ID: Cluster, Change: step.Created,
			Writes: []string{makeCluster}, Sends: sends}
	}
	run(t, map[string]prereqtest.Case{
		"profile and encryption": create(design.Options{Profile: design.Performance, Encryption: true}, nil,
			`"resourceProfile":"performance"`, `"encryption":{"clusterWide":true}`),
		"gateways beside marks": create(design.Options{Gateways: design.NoGateways}, nil,
			`"managedResources":{"cephBlockPools":{"defaultStorageClass":true,"defaultVirtualizationStorageClass":true},`+
				`"cephObjectStoreUsers":{"reconcileStrategy":"ignore"},"cephObjectStores":{"reconcileStrategy":"ignore"}}`,
			`"multiCloudGateway":{"reconcileStrategy":"ignore"}`),
		"over nodes though there are zones": create(design.Options{Spread: design.OverNodes}, []string{zoned},
			`"flexibleScaling":true`, `"count":3`, `"replica":1`),
		"over zones":          create(design.Options{Spread: design.OverZones}, []string{zoned}, `"count":1`, `"replica":3`),
		"three of four disks": create(design.Options{DeviceSets: 3}, []string{volume("w4", "sdb", "")}, `"count":3`),
		"marked though another is": create(design.Options{VirtualizationClass: design.MarkClass}, []string{marked},
			`"defaultVirtualizationStorageClass":true`),
		"not marked": create(design.Options{VirtualizationClass: design.LeaveClass}, nil,
			`"managedResources":{"cephBlockPools":{"defaultStorageClass":true}}`),
		"zones that are not there": {Objects: []string{foundation(), threeVolumes("")},
			Of: with(designed(design.Options{Spread: design.OverZones})), ID: Cluster, Fails: "cannot be spread over zones"},
		"grow to the number asked for": {Objects: []string{foundation(), cephCluster(3, "Ready"),
			threeVolumes(operatorsNamespace), volume("w4", "sdb", ""), volume("w5", "sdb", "")},
			Of: with(Options{Grow: true, Design: design.Options{DeviceSets: 4}}), ID: Cluster, Change: step.Configured,
			Writes: []string{makeCluster}, Sends: []string{`"count":4`}},
		"the console's plugins stay": {Objects: []string{prereqtest.ClusterVersion("4.20.3") +
			prereqtest.Offered("odf-operator", operatorsNamespace, "stable-4.20", operatorCSV),
			console("[kubevirt-plugin]", "person")}, Of: with(designed(design.Options{ConsolePlugin: design.LeavePlugin})),
			ID: DataFoundation, Change: step.Created, Writes: []string{"create namespaces",
				"create operatorgroups.operators.coreos.com openshift-storage/",
				"create subscriptions.operators.coreos.com openshift-storage/"}},
	})
}
