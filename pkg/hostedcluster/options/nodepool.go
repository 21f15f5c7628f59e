package options

import "time"

// NodePool describe one pool of worker VMs. DefaultNodePool fills in what a user need not say. As in Options, the yaml
// tags are the flags in camel case, and what is zero is not written unless said otherwise.
type NodePool struct {
	// Name of the NodePool; empty means the hosted cluster's.
	Name string `yaml:"name"`
	// Replicas is the number of worker VMs. It does not count where MaxReplicas is set: then the pool is scaled
	// automatically between MinReplicas, which is at least 1 on KubeVirt, and MaxReplicas. MinReplicas alone says nothing.
	Replicas    int32 `yaml:"replicas"`
	MinReplicas int32 `yaml:"minReplicas"`
	MaxReplicas int32 `yaml:"maxReplicas"`
	// ReleaseImage of the pool; empty means the hosted cluster's.
	ReleaseImage string `yaml:"releaseImage"`
	// Arch is amd64 or s390x; empty means the hosted cluster's.
	Arch string `yaml:"arch"`

	// Memory of one worker VM as a Kubernetes quantity, such as "8Gi", and its Cores.
	Memory string `yaml:"memory"`
	Cores  int32  `yaml:"cores"`
	// QoSClass is Burstable or Guaranteed; CPUPinning gives each VM its own processors, for which it has to be Guaranteed.
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

	// NetworkMultiqueue is Enable or Disable, and always written.
	NetworkMultiqueue string `yaml:"networkMultiqueue"`
	// AdditionalNetwork are "name:namespace/network-attachment-definition".
	AdditionalNetwork    []string `yaml:"additionalNetwork"`
	AttachDefaultNetwork bool     `yaml:"attachDefaultNetwork"`
	// HostDeviceName are "device[,count:n]"; one where no count is given.
	HostDeviceName []string `yaml:"hostDeviceName"`

	// VMNodeSelector, VMToleration and VMAffinity say which nodes of the management cluster run the VMs. VMAffinity is
	// YAML as in a pod's spec.affinity, VMJSONPatch a JSON patch of the VirtualMachine; these, VMToleration and CPUPinning
	// are one annotation.
	VMNodeSelector map[string]string `yaml:"vmNodeSelector"`
	VMToleration   []string          `yaml:"vmToleration"`
	VMAffinity     File              `yaml:"vmAffinity"`
	VMJSONPatch    File              `yaml:"vmJSONPatch"`
	// Spread is as that of the cluster, and counts the VMs of this pool alone.
	Spread []string `yaml:"spread"`

	// NodeLabels and Taints ("key[=value]:effect") are those of the guest's nodes.
	NodeLabels map[string]string `yaml:"nodeLabels"`
	Taints     []string          `yaml:"taints"`
	// Config are MachineConfigs, KubeletConfigs and the like for the nodes.
	Config Files `yaml:"config"`

	// Patches changes fields of the NodePool that no option writes, see Patch.
	Patches File `yaml:"patches"`

	AutoRepair bool `yaml:"autoRepair"`
	// NodeUpgradeType is Replace or InPlace.
	NodeUpgradeType         string        `yaml:"nodeUpgradeType"`
	NodeDrainTimeout        time.Duration `yaml:"nodeDrainTimeout"`
	NodeVolumeDetachTimeout time.Duration `yaml:"nodeVolumeDetachTimeout"`
}

// Pool is the pool that the flags of create cluster speak of: the first. It panics where there is none.
func (o *Cluster) Pool() *NodePool { return &o.NodePools[0] }

// PoolName is the name of a pool of the cluster.
func (o Cluster) PoolName(pool NodePool) string {
	if pool.Name != "" {
		return pool.Name
	}
	return o.Name
}

// DefaultNodePool is a pool of two workers of 8Gi, 2 cores and 32Gi. The vendor's CLI has 4Gi of memory, too little for
// the default set of operators on two workers; 8Gi is the CRD's default.
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
