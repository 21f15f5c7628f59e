package options

import "time"

// NodePool describes one pool of worker VMs. DefaultNodePool returns the default values. As in Cluster, the yaml tags
// are the flags in camel case, and zero values are not written unless a field says otherwise.
type NodePool struct {
	// Name of the NodePool; empty means the hosted cluster's.
	Name string `yaml:"name"`
	// Replicas is the number of worker VMs. It is ignored if MaxReplicas is set: then the pool is autoscaled between
	// MinReplicas, at least 1 on KubeVirt, and MaxReplicas. MinReplicas has no effect without MaxReplicas.
	Replicas    int32 `yaml:"replicas"`
	MinReplicas int32 `yaml:"minReplicas"`
	MaxReplicas int32 `yaml:"maxReplicas"`
	// ReleaseImage of the pool; empty means the hosted cluster's.
	ReleaseImage string `yaml:"releaseImage"`
	// Arch is amd64 or s390x; empty means the hosted cluster's.
	Arch string `yaml:"arch"`

	// Memory of one worker VM as a Kubernetes quantity, such as "8Gi". Cores is its number of CPU cores.
	Memory string `yaml:"memory"`
	Cores  int32  `yaml:"cores"`
	// QoSClass is Burstable or Guaranteed. CPUPinning gives each VM dedicated CPUs and needs Guaranteed.
	QoSClass   string `yaml:"qosClass"`
	CPUPinning bool   `yaml:"cpuPinning"`
	// RootVolumeSize of one worker VM in Gi.
	RootVolumeSize          int32  `yaml:"rootVolumeSize"`
	RootVolumeStorageClass  string `yaml:"rootVolumeStorageClass"`
	RootVolumeAccessModes   List   `yaml:"rootVolumeAccessModes"`
	RootVolumeVolumeMode    string `yaml:"rootVolumeVolumeMode"`
	RootVolumeCacheStrategy string `yaml:"rootVolumeCacheStrategy"`
	// ContainerDisk is the boot image, instead of the release's own; for HyperShift developers.
	ContainerDisk string `yaml:"containerdisk"`

	// NetworkMultiqueue is Enable or Disable. It is always written.
	NetworkMultiqueue string `yaml:"networkMultiqueue"`
	// AdditionalNetwork lists networks as "name:namespace/network-attachment-definition".
	AdditionalNetwork    []string `yaml:"additionalNetwork"`
	AttachDefaultNetwork bool     `yaml:"attachDefaultNetwork"`
	// HostDeviceName lists devices as "device[,count:n]". The default count is 1.
	HostDeviceName []string `yaml:"hostDeviceName"`

	// VMNodeSelector, VMToleration and VMAffinity select the management cluster's nodes for the VMs. VMAffinity is YAML as
	// in a pod's spec.affinity, VMJSONPatch a JSON patch of the VirtualMachine. VMToleration, VMAffinity, VMJSONPatch and
	// CPUPinning are written to one annotation.
	VMNodeSelector map[string]string `yaml:"vmNodeSelector"`
	VMToleration   []string          `yaml:"vmToleration"`
	VMAffinity     File              `yaml:"vmAffinity"`
	VMJSONPatch    File              `yaml:"vmJSONPatch"`
	// Spread has the form of the cluster's, but counts only the VMs of this pool.
	Spread []string `yaml:"spread"`

	// NodeLabels and Taints ("key[=value]:effect") apply to the nodes of the hosted cluster.
	NodeLabels map[string]string `yaml:"nodeLabels"`
	Taints     []string          `yaml:"taints"`
	// Config holds MachineConfigs, KubeletConfigs and the like for the nodes.
	Config Files `yaml:"config"`

	// Patches changes fields of the NodePool that no option writes; see Patch.
	Patches File `yaml:"patches"`

	AutoRepair bool `yaml:"autoRepair"`
	// NodeUpgradeType is Replace or InPlace.
	NodeUpgradeType         string        `yaml:"nodeUpgradeType"`
	NodeDrainTimeout        time.Duration `yaml:"nodeDrainTimeout"`
	NodeVolumeDetachTimeout time.Duration `yaml:"nodeVolumeDetachTimeout"`
}

// Pool returns the first pool, which the flags of create cluster set. It panics if there is none.
func (o *Cluster) Pool() *NodePool { return &o.NodePools[0] }

// PoolName returns the name of a pool of the cluster. The default is the cluster's name.
func (o Cluster) PoolName(pool NodePool) string {
	if pool.Name != "" {
		return pool.Name
	}
	return o.Name
}

// DefaultNodePool returns a pool of two workers with 8Gi, 2 cores and a 32Gi root volume. The vendor's CLI has 4Gi of
// memory, too little for the default operators on two workers; 8Gi is the CRD's default.
func DefaultNodePool() NodePool {
	return NodePool{
		Replicas:             2,
		MinReplicas:          1,
		Memory:               "8Gi",
		Cores:                2,
		QoSClass:             "Burstable",
		RootVolumeSize:       32,
		NetworkMultiqueue:    "Enable",
		AttachDefaultNetwork: true,
		NodeUpgradeType:      "Replace",
	}
}
