package options

// Defaults are the options of a cluster of which only the name is given: one pool of DefaultNodePool, followed to the
// end. A highly available control plane is the default of the vendor's product CLI, hcp.
func Defaults() Cluster {
	return Cluster{
		Namespace:                      "clusters",
		Arch:                           "amd64",
		ServicePublishingStrategy:      publishIngress,
		NetworkType:                    "OVNKubernetes",
		ClusterCIDR:                    List{clusterNetwork},
		ServiceCIDR:                    List{serviceNetwork},
		ControlPlaneAvailabilityPolicy: "HighlyAvailable",
		EtcdStorageSize:                etcdSize,
		OLMCatalogPlacement:            "management",
		Ingress:                        string(IngressAuto),
		NodePools:                      []NodePool{DefaultNodePool()},
		Wait:                           WaitComplete,
	}
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

// The vendor CLI's defaults, which must not overlap the management cluster's own networks (10.128.0.0/14 and
// 172.30.0.0/16 on a default installation).
const (
	clusterNetwork = "10.132.0.0/14"
	serviceNetwork = "172.31.0.0/16"
	etcdSize       = "8Gi"
)
