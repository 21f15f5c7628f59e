package nodepool

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

const (
	rootVolume      = "rhcos"
	userDataVolume  = "cloudinitvolume"
	liveMigrateNote = "kubevirt.io/allow-pod-bridge-network-live-migration"
)

// checkPlatform is the operator's own check of a NodePool's KubeVirt platform.
func checkPlatform(np *hyperv1.NodePool) error {
	kv := np.Spec.Platform.Kubevirt
	switch {
	case kv == nil:
		return errors.New("nodepool.spec.platform.kubevirt is required")
	case kv.RootVolume == nil:
		return errors.New("the kubevirt platform rootVolume field is required")
	case kv.RootVolume.Type == hyperv1.KubevirtVolumeTypePersistent && kv.RootVolume.Persistent == nil:
		return errors.New("the kubevirt persistent storage field must be set when rootVolume.Type=Persistent")
	case len(kv.AdditionalNetworks) == 0 && !ptr.Deref(kv.AttachDefaultNetwork, true):
		return errors.New("default network cannot be disabled when no additional networks are configured")
	}
	for _, d := range kv.KubevirtHostDevices {
		if d.Count < 1 {
			return fmt.Errorf("host device count must be greater than or equal to 1. received: %d", d.Count)
		}
	}
	return nil
}

// bootImage returns the disk image that a node boots. Its digest is made up; the real one is in the payload.
func bootImage(np *hyperv1.NodePool, version string) string {
	kv := np.Spec.Platform.Kubevirt
	if kv != nil && kv.RootVolume != nil && kv.RootVolume.Image != nil && kv.RootVolume.Image.ContainerDiskImage != nil {
		return *kv.RootVolume.Image.ContainerDiskImage
	}
	return "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:" + metadata.ShortHash("rhcos/"+version, 64)
}

// renderMachine returns the VirtualMachine that Cluster API's KubeVirt provider makes for one node.
func renderMachine(np *hyperv1.NodePool, infraID, namespace, name, userData,
	version string) *kubevirtv1.VirtualMachine {
	kv := np.Spec.Platform.Kubevirt
	labels := map[string]string{
		"kubevirt.io/vm": name, "name": name,
		hyperv1.InfraIDLabel: infraID, hyperv1.NodePoolNameLabel: np.Name,
		"cluster.x-k8s.io/cluster-name": infraID, "cluster.x-k8s.io/role": "worker",
		"capk.cluster.x-k8s.io/kubevirt-machine-name": name, "capk.cluster.x-k8s.io/kubevirt-machine-namespace": namespace,
	}
	volume := name + "-" + rootVolume
	vm := &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: labels,
			Annotations: map[string]string{metadata.NodePoolAnnotation: np.Namespace + "/" + np.Name},
		},
		Spec: kubevirtv1.VirtualMachineSpec{
			RunStrategy: ptr.To(kubevirtv1.RunStrategyAlways),
			Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: maps.Clone(labels)},
				Spec:       machineSpec(kv, np.Name, volume, userData),
			},
			DataVolumeTemplates: []kubevirtv1.DataVolumeTemplateSpec{machineVolume(kv, volume, bootImage(np, version))},
		},
	}
	if ptr.Deref(kv.AttachDefaultNetwork, true) {
		vm.Spec.Template.ObjectMeta.Annotations = map[string]string{liveMigrateNote: ""}
	}
	return vm
}

func machineSpec(kv *hyperv1.KubevirtNodePoolPlatform, pool, volume,
	userData string) kubevirtv1.VirtualMachineInstanceSpec {
	spec := kubevirtv1.VirtualMachineInstanceSpec{
		EvictionStrategy: ptr.To(kubevirtv1.EvictionStrategyExternal),
		NodeSelector:     kv.NodeSelector,
		Domain: kubevirtv1.DomainSpec{Devices: kubevirtv1.Devices{Disks: []kubevirtv1.Disk{
			{Name: rootVolume, DiskDevice: kubevirtv1.DiskDevice{Disk: &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBusVirtio}}},
			{Name: userDataVolume,
				DiskDevice: kubevirtv1.DiskDevice{Disk: &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBusVirtio}}},
		}}},
		Volumes: []kubevirtv1.Volume{
			{Name: rootVolume, VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: volume}}},
			{Name: userDataVolume,
				VolumeSource: kubevirtv1.VolumeSource{CloudInitConfigDrive: &kubevirtv1.CloudInitConfigDriveSource{
					UserDataSecretRef: &corev1.LocalObjectReference{Name: userData},
				}}},
		},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{hyperv1.NodePoolNameLabel: pool}},
		}},
	}
	sizeMachine(&spec, kv.Compute)
	if ptr.Deref(kv.NetworkInterfaceMultiQueue, "") == hyperv1.MultiQueueEnable {
		spec.Domain.Devices.NetworkInterfaceMultiQueue = ptr.To(true)
	}
	connectMachine(&spec, kv)
	count := 0
	for _, d := range kv.KubevirtHostDevices {
		for range d.Count {
			count++
			spec.Domain.Devices.HostDevices = append(spec.Domain.Devices.HostDevices, kubevirtv1.HostDevice{
				Name: fmt.Sprintf("hostdevice-%d", count), DeviceName: d.DeviceName,
			})
		}
	}
	return spec
}

// sizeMachine sets cores and memory: as guest topology, or as equal requests and limits for a Guaranteed machine.
func sizeMachine(spec *kubevirtv1.VirtualMachineInstanceSpec, compute *hyperv1.KubevirtCompute) {
	if compute == nil {
		return
	}
	cores := ptr.Deref(compute.Cores, 0)
	if ptr.Deref(compute.QosClass, "") == hyperv1.QoSClassGuaranteed {
		list := corev1.ResourceList{}
		if compute.Memory != nil {
			list[corev1.ResourceMemory] = *compute.Memory
		}
		if cores > 0 {
			list[corev1.ResourceCPU] = *resource.NewQuantity(int64(cores), resource.DecimalSI)
		}
		spec.Domain.Resources.Requests, spec.Domain.Resources.Limits = list, list.DeepCopy()
		return
	}
	if compute.Memory != nil {
		spec.Domain.Memory = &kubevirtv1.Memory{Guest: ptr.To(compute.Memory.DeepCopy())}
	}
	if cores > 0 {
		spec.Domain.CPU = &kubevirtv1.CPU{Cores: cores}
	}
}

func connectMachine(spec *kubevirtv1.VirtualMachineInstanceSpec, kv *hyperv1.KubevirtNodePoolPlatform) {
	add := func(name string, from kubevirtv1.NetworkSource) {
		spec.Networks = append(spec.Networks, kubevirtv1.Network{Name: name, NetworkSource: from})
		spec.Domain.Devices.Interfaces = append(spec.Domain.Devices.Interfaces, kubevirtv1.Interface{
			Name: name, InterfaceBindingMethod: kubevirtv1.InterfaceBindingMethod{Bridge: &kubevirtv1.InterfaceBridge{}},
		})
	}
	if ptr.Deref(kv.AttachDefaultNetwork, true) {
		add("default", kubevirtv1.NetworkSource{Pod: &kubevirtv1.PodNetwork{}})
	}
	for i, n := range kv.AdditionalNetworks {
		add(fmt.Sprintf("iface%d_%s", i+1, strings.ReplaceAll(n.Name, "/", "-")),
			kubevirtv1.NetworkSource{Multus: &kubevirtv1.MultusNetwork{NetworkName: n.Name}})
	}
}

func machineVolume(kv *hyperv1.KubevirtNodePoolPlatform, name, image string) kubevirtv1.DataVolumeTemplateSpec {
	v := kubevirtv1.DataVolumeTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{hyperv1.IsKubeVirtRHCOSVolumeLabelName: "true"}},
		Spec: cdiv1.DataVolumeSpec{Source: &cdiv1.DataVolumeSource{Registry: &cdiv1.DataVolumeSourceRegistry{
			URL: ptr.To("docker://" + image), PullMethod: ptr.To(cdiv1.RegistryPullNode),
		}}},
	}
	p := kv.RootVolume.Persistent
	if p == nil {
		return v
	}
	storage := &cdiv1.StorageSpec{StorageClassName: p.StorageClass, VolumeMode: p.VolumeMode}
	for _, mode := range p.AccessModes {
		storage.AccessModes = append(storage.AccessModes, corev1.PersistentVolumeAccessMode(mode))
	}
	if p.Size != nil {
		storage.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: *p.Size}
	}
	v.Spec.Storage = storage
	return v
}
