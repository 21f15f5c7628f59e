package options

import (
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// NodePoolFields lists the options of a pool, with the flags of create nodepool. create cluster calls "replicas"
// "node-pool-replicas", as the vendor's CLI does.
func NodePoolFields() []Field {
	const spec, vm = "NodePool spec.", "NodePool spec.platform.kubevirt."
	const chosenOnce = "it belongs to a node pool and is chosen when the pool is created"
	poolOfItsOwn := hint.Run("create nodepool", "POOL").Flag("cluster-name", "NAME").Flag("FLAG").Text()
	const numbers = "the number of workers belongs to a node pool"
	scale := hint.Run("scale", "POOL").Flag("FLAG", "NUMBER").Text()
	const patch = "NodePool metadata.annotations[hypershift.openshift.io/kubevirt-vm-jsonpatch]"
	return []Field{
		{Name: "name", Effect: option.Fixed, Writes: "NodePool metadata.name",
			Text: "name of the pool; by default the hosted cluster's"},
		{Name: "replicas", Flag: "replicas", Group: option.Workers, Why: numbers, Way: scale,
			Writes: spec + "replicas", Example: "3", Text: "number of worker VMs"},
		{Name: "minReplicas", Flag: "min-replicas", Group: option.Workers, Why: numbers, Way: scale,
			Writes: spec + "autoScaling.min", Example: "2", With: "--max-replicas 5",
			Text: "minimum number of worker VMs, with --max-replicas"},
		{Name: "maxReplicas", Flag: "max-replicas", Group: option.Workers, Why: numbers, Way: scale,
			Writes: spec + "autoScaling.max", Example: "5",
			Text: "maximum number of worker VMs: autoscaling instead of a fixed number"},
		{Name: "releaseImage", Flag: "release-image", Group: option.Release, PoolOnly: true, Check: releaseReference(),
			Why:    "a release is changed by an upgrade",
			Way:    hint.Run("upgrade nodepool", "POOL").Flag("release-image", "IMAGE").Text(),
			Writes: spec + "release.image", Example: "registry.example/ocp-release:4.20.2-multi",
			Text: "OpenShift release of the pool; by default the hosted cluster's"},
		{Name: "arch", Flag: "arch", Group: option.Release, PoolOnly: true, Needs: "2.11", NeedsFor: "s390x",
			Values: Arches(), Effect: option.Fixed, Writes: spec + "arch", Example: "s390x",
			Text: "processor architecture of the pool; by default the hosted cluster's"},

		{Name: "memory", Flag: "memory", Group: option.Workers, Effect: option.ReplacesVMs,
			Writes: vm + "compute.memory", Example: "16Gi", Text: "memory of each worker VM"},
		{Name: "cores", Flag: "cores", Group: option.Workers, Effect: option.ReplacesVMs, Writes: vm + "compute.cores",
			Example: "4", Text: "cores of each worker VM"},
		{Name: "qosClass", Flag: "qos-class", Group: option.Workers, Needs: "2.5",
			Values: []string{"Burstable", "Guaranteed"}, Effect: option.ReplacesVMs, Writes: vm + "compute.qosClass",
			Example: "Guaranteed",
			Text:    "quality of service class of the worker VMs; Guaranteed has requests that equal the limits"},
		{Name: "cpuPinning", Flag: "cpu-pinning", Group: option.Workers, Needs: "2.5", Effect: option.ReplacesVMs,
			Writes: patch, Example: "true", With: "--qos-class Guaranteed",
			Text: "give each worker VM dedicated CPUs; needs --qos-class Guaranteed and nodes with the static CPU manager"},

		{Name: "rootVolumeSize", Flag: "root-volume-size", Group: option.Storage, Effect: option.ReplacesVMs,
			Writes: vm + "rootVolume.persistent.size", Example: "64", Text: "root volume of each worker VM, in Gi"},
		{Name: "rootVolumeStorageClass", Flag: "root-volume-storage-class", Group: option.Storage,
			Check: objectName("a name of a StorageClass"), Effect: option.ReplacesVMs,
			Writes: vm + "rootVolume.persistent.storageClass", Example: "fast",
			Text: "StorageClass of the root volumes; by default the management cluster's default class"},
		{Name: "rootVolumeAccessModes", Flag: "root-volume-access-modes", Group: option.Storage, Values: accessModes(),
			Refused: map[string]string{"ReadOnly": "no volume has that access mode, and workers write to theirs; use " +
				"ReadWriteMany or ReadWriteOnce"},
			Max: 10, Effect: option.ReplacesVMs, Writes: vm + "rootVolume.persistent.accessModes",
			Example: "ReadWriteMany", Text: "access modes of the root volumes; live migration needs ReadWriteMany"},
		{Name: "rootVolumeVolumeMode", Flag: "root-volume-volume-mode", Group: option.Storage, Needs: "2.4",
			Values: []string{"Block", "Filesystem"}, Effect: option.ReplacesVMs,
			Writes: vm + "rootVolume.persistent.volumeMode", Example: "Block", Text: "volume mode of the root volumes"},
		{Name: "rootVolumeCacheStrategy", Flag: "root-volume-cache-strategy", Group: option.Storage, Needs: "2.4",
			Values: []string{"None", "PVC"}, Effect: option.ReplacesVMs, Writes: vm + "rootVolume.cacheStrategy.type",
			Example: "PVC", Text: "how the boot image is cached; PVC clones one imported volume for all workers"},
		{Name: "containerdisk", Flag: "containerdisk", Group: option.Storage, Check: checkReference,
			Effect: option.ReplacesVMs, Writes: vm + "rootVolume.diskImage.containerDiskImage",
			Example: "registry.example/rhcos:4.20",
			Text:    "boot image instead of the release's own; for HyperShift developers"},

		{Name: "networkMultiqueue", Flag: "network-multiqueue", Group: option.Network, Needs: "2.4",
			NeedsFor: "Disable", Values: []string{"Enable", "Disable"}, Effect: option.ReplacesVMs,
			Writes: vm + "networkInterfaceMultiqueue", Example: "Disable",
			Text: "multiple queues on the worker VMs' network interfaces"},
		{Name: "additionalNetwork", Flag: "additional-network", Group: option.Network, Needs: "2.5", Max: 20,
			Effect: option.ReplacesVMs, Writes: vm + "additionalNetworks", Example: "name:default/vlan-100",
			Text: "additional network of the worker VMs, as name:NAMESPACE/NETWORK-ATTACHMENT-DEFINITION"},
		{Name: "attachDefaultNetwork", Flag: "attach-default-network", Group: option.Network, Needs: "2.5",
			NeedsFor: "false", Effect: option.ReplacesVMs, Writes: vm + "attachDefaultNetwork", Example: "false",
			With: "--additional-network name:default/vlan-100",
			Text: "connect the worker VMs to the pod network; false needs --additional-network"},
		{Name: "hostDeviceName", Flag: "host-device-name", Group: option.Workers, Needs: "2.7", Max: 10,
			Effect: option.ReplacesVMs, Writes: vm + "hostDevices", Example: "nvidia.com/GA102GL_A10,count:2",
			Text: "device of the node for each worker VM, as DEVICE[,count:N]; one unless counted"},
		{Name: "vmNodeSelector", Flag: "vm-node-selector", Group: option.Workers, Needs: "2.5", Check: checkLabel,
			Effect: option.ReplacesVMs, Writes: vm + "nodeSelector", Example: "role=vms",
			Text: "labels of the management cluster's nodes that may run the worker VMs"},
		{Name: "vmToleration", Flag: "vm-toleration", Group: option.Workers, Effect: option.ReplacesVMs, Writes: patch,
			Example: "key=dedicated,value=vms,effect=NoSchedule",
			Text:    "taint that the worker VMs tolerate, as key=K,value=V,operator=O,effect=E,tolerationSeconds=S"},
		{Name: "vmAffinity", Flag: "vm-affinity", Group: option.Workers, Effect: option.ReplacesVMs, Writes: patch,
			Example: "affinity.yaml", Text: "file with the affinity of the worker VMs, as in a pod's spec.affinity"},
		{Name: "vmJSONPatch", Flag: "vm-json-patch", Group: option.Workers, Effect: option.ReplacesVMs, Writes: patch,
			Example: "patch.json",
			Text:    "file with a JSON patch of the VirtualMachine, for what there is no option for; applied last"},
		{Name: "spread", Flag: "spread", Group: option.Workers, PoolOnly: true, Max: 8, Effect: option.ReplacesVMs,
			Writes: patch, Example: "host=required,max=1",
			Text: "spread the worker VMs of this pool over hosts, zones or any other label of nodes, as " +
				"KEY[=required|preferred][,max=N]; counted before anything is written"},

		{Name: "nodeLabels", Flag: "node-labels", Group: option.Workers, Check: checkLabel,
			Effect: option.RestartsNothing, Writes: spec + "nodeLabels", Example: "tier=web",
			Text: "labels of the hosted cluster's nodes"},
		{Name: "taints", Flag: "taints", Group: option.Workers, Max: 50, Effect: option.RestartsNothing,
			Writes: spec + "taints", Example: "dedicated=gpu:NoSchedule",
			Text: "taint of the hosted cluster's nodes, as KEY[=VALUE]:EFFECT"},
		{Name: "config", Flag: "config", Group: option.Workers, Max: MaxConfigs, Why: chosenOnce, Way: poolOfItsOwn,
			Writes: "ConfigMap <pool>-config-N data.config, NodePool spec.config", Example: "machineconfig.yaml",
			Text: "file with a MachineConfig, KubeletConfig, ContainerRuntimeConfig, ImageContentSourcePolicy, " +
				"ImageDigestMirrorSet or ClusterImagePolicy for the nodes"},
		{Name: "patches", Flag: "patch-nodepool", Group: option.Workers, Inline: true,
			Why: "a patch is kept by the document that has it", Way: byApply,
			Writes:  "NodePool metadata.annotations[" + hostedcluster.PatchesAnnotation + "]",
			Example: "nodepool-patch.yaml",
			Text: "file with a patch of the NodePool for fields without an option: a map is a merge patch, a list a " +
				"JSON Patch; a document may have it in place of the file's name"},
		{Name: "autoRepair", Flag: "auto-repair", Group: option.Workers, Effect: option.RestartsNothing,
			Writes: spec + "management.autoRepair", Example: "true", Text: "replace nodes that stay unhealthy"},
		{Name: "nodeUpgradeType", Flag: "node-upgrade-type", Group: option.Workers,
			Values: []string{"Replace", "InPlace"}, Effect: option.Fixed, Why: chosenOnce, Way: poolOfItsOwn,
			Writes: spec + "management.upgradeType", Example: "InPlace",
			Text: "how nodes are upgraded; it cannot be changed later"},
		{Name: "nodeDrainTimeout", Flag: "node-drain-timeout", Group: option.Workers, Check: checkDuration,
			Effect: option.RestartsNothing, Writes: spec + "nodeDrainTimeout", Example: "30m",
			Text: "how long a node may take to drain; 0 is without limit"},
		{Name: "nodeVolumeDetachTimeout", Flag: "node-volume-detach-timeout", Group: option.Workers, Needs: "2.7",
			Check: checkDuration, Effect: option.RestartsNothing, Writes: spec + "nodeVolumeDetachTimeout", Example: "10m",
			Text: "how long the volumes of a node may take to detach; 0 is without limit"},
	}
}

// FirstPoolFields lists the NodePoolFields that are also flags of create cluster. There they apply to the first pool.
func FirstPoolFields() []Field {
	var out []Field
	for _, f := range NodePoolFields() {
		if !f.PoolOnly {
			out = append(out, f)
		}
	}
	return out
}

// ClusterFlag returns the name of a pool's flag at create cluster.
func ClusterFlag(pool string) string {
	if pool == "replicas" {
		return "node-pool-replicas"
	}
	return pool
}

// Arches are the architectures of worker VMs. The CRD refuses arm64 on KubeVirt, and the operator ppc64le.
func Arches() []string { return []string{"amd64", "s390x"} }

// accessModes are the access modes of the NodePool CRD that volumes can have. Its ReadOnly does not exist in
// Kubernetes.
func accessModes() []string { return []string{"ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"} }
