package objects

import (
	"cmp"
	"maps"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// NodePool returns one pool of the cluster to write. A patch that cannot be applied is left out: see CheckPatches.
func NodePool(o options.Validated, pool options.ValidatedPool, in Inputs) client.Object {
	np, _ := patched(TypedNodePool(o, pool, in), pool.Patches)
	return np
}

// PatchedNodePool is NodePool in the Go types, for counting its VMs. Fields that the types lack are missing. A patch
// whose result does not fit the types is left out; the API server refuses it.
func PatchedNodePool(o options.Validated, pool options.ValidatedPool, in Inputs) *hyperv1.NodePool {
	plain := TypedNodePool(o, pool, in)
	if pool.Patches.IsZero() {
		return plain
	}
	np := &hyperv1.NodePool{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(Content(NodePool(o, pool, in)), np); err != nil {
		return plain
	}
	return np
}

// TypedNodePool returns the pool without the patch of the options.
func TypedNodePool(o options.Validated, pool options.ValidatedPool, in Inputs) *hyperv1.NodePool {
	np := &hyperv1.NodePool{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "NodePool"},
		ObjectMeta: metav1.ObjectMeta{
			Name: pool.Name, Namespace: o.Namespace,
			Labels:      map[string]string{},
			Annotations: poolAnnotations(o, pool, in),
		},
		Spec: hyperv1.NodePoolSpec{
			Arch:        cmp.Or(pool.Arch, o.Arch),
			ClusterName: o.Name,
			Management: hyperv1.NodePoolManagement{
				AutoRepair:  pool.AutoRepair,
				UpgradeType: hyperv1.UpgradeType(pool.NodeUpgradeType),
			},
			NodeDrainTimeout:        &metav1.Duration{Duration: pool.NodeDrainTimeout},
			NodeVolumeDetachTimeout: &metav1.Duration{Duration: pool.NodeVolumeDetachTimeout},
			NodeLabels:              maps.Clone(pool.NodeLabels),
			Taints:                  slices.Clone(pool.Taints),
			Platform:                hyperv1.NodePoolPlatform{Type: hyperv1.KubevirtPlatform, Kubevirt: machineOf(pool)},
			Release:                 hyperv1.Release{Image: cmp.Or(pool.ReleaseImage, in.ReleaseImage)},
		},
	}
	maps.Copy(np.Labels, o.Labels)
	np.Labels[hostedcluster.InfraLabel] = in.InfraID
	if pool.MaxReplicas > 0 {
		np.Spec.AutoScaling = &hyperv1.NodePoolAutoScaling{Min: pool.MinReplicas, Max: pool.MaxReplicas}
	} else {
		np.Spec.Replicas = ptr.To(pool.Replicas)
	}
	for i := range pool.Config {
		np.Spec.Config = append(np.Spec.Config, corev1.LocalObjectReference{Name: hostedcluster.PoolConfigName(np.Name, i)})
	}
	if o.PausedUntil != "" {
		np.Spec.PausedUntil = ptr.To(o.PausedUntil)
	}
	return np
}

// poolAnnotations returns the patch of the virtual machines, and an annotation of the cluster that the operator reads
// on both objects.
func poolAnnotations(o options.Validated, pool options.ValidatedPool, in Inputs) map[string]string {
	all := map[string]string{}
	if patch := o.VMPatch(pool, in.InfraID); patch != "" {
		all[hyperv1.JSONPatchAnnotation] = patch
	}
	if v, ok := o.Annotations[hyperv1.AllowUnsupportedKubeVirtRHCOSVariantsAnnotation]; ok {
		all[hyperv1.AllowUnsupportedKubeVirtRHCOSVariantsAnnotation] = v
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// machineOf returns the settings of a worker VM.
func machineOf(pool options.ValidatedPool) *hyperv1.KubevirtNodePoolPlatform {
	vm := &hyperv1.KubevirtNodePoolPlatform{
		AttachDefaultNetwork: ptr.To(pool.AttachDefaultNetwork),
		Compute: &hyperv1.KubevirtCompute{
			Cores:  ptr.To(uint32(max(0, pool.Cores))),
			Memory: ptr.To(pool.Memory.DeepCopy()),
		},
		NetworkInterfaceMultiQueue: ptr.To(hyperv1.MultiQueueSetting(pool.NetworkMultiqueue)),
		NodeSelector:               maps.Clone(pool.VMNodeSelector),
		RootVolume:                 rootVolumeOf(pool),
	}
	// The vendor's CLI does the same: Burstable is the operator's default.
	if pool.QoSClass == string(hyperv1.QoSClassGuaranteed) {
		vm.Compute.QosClass = ptr.To(hyperv1.QoSClassGuaranteed)
	}
	for _, n := range pool.AdditionalNetwork {
		vm.AdditionalNetworks = append(vm.AdditionalNetworks, hyperv1.KubevirtNetwork{Name: n.String()})
	}
	vm.KubevirtHostDevices = slices.Clone(pool.HostDeviceName)
	return vm
}

func rootVolumeOf(pool options.ValidatedPool) *hyperv1.KubevirtRootVolume {
	persistent := &hyperv1.KubevirtPersistentVolume{
		Size: resource.NewQuantity(int64(pool.RootVolumeSize)<<30, resource.BinarySI),
	}
	if pool.RootVolumeStorageClass != "" {
		persistent.StorageClass = ptr.To(pool.RootVolumeStorageClass)
	}
	for _, mode := range pool.RootVolumeAccessModes {
		persistent.AccessModes = append(persistent.AccessModes, hyperv1.PersistentVolumeAccessMode(mode))
	}
	if pool.RootVolumeVolumeMode != "" {
		persistent.VolumeMode = ptr.To(corev1.PersistentVolumeMode(pool.RootVolumeVolumeMode))
	}
	volume := &hyperv1.KubevirtRootVolume{
		KubevirtVolume: hyperv1.KubevirtVolume{Type: hyperv1.KubevirtVolumeTypePersistent, Persistent: persistent},
	}
	if pool.RootVolumeCacheStrategy != "" {
		volume.CacheStrategy = &hyperv1.KubevirtCachingStrategy{
			Type: hyperv1.KubevirtCachingStrategyType(pool.RootVolumeCacheStrategy),
		}
	}
	if pool.ContainerDisk != "" {
		volume.Image = &hyperv1.KubevirtDiskImage{ContainerDiskImage: ptr.To(pool.ContainerDisk)}
	}
	return volume
}

// PoolConfigs returns the ConfigMaps that a pool's spec.config names. The operator reads their key config.
func PoolConfigs(o options.Validated, pool options.ValidatedPool, in Inputs) []*corev1.ConfigMap {
	var out []*corev1.ConfigMap
	for i, file := range pool.Config {
		out = append(out, configMapOf(o, in, hostedcluster.PoolConfigName(pool.Name, i), "config", file.Content))
	}
	return out
}
