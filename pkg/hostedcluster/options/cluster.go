package options

import (
	"slices"
	"time"

	"github.com/hcctl/hcctl/pkg/kube/manifests"
)

// Cluster describes one hosted cluster and its NodePools. Defaults returns the default values.
//
// The yaml tags are the names in a Cluster file: the names of the flags in camel case. Fields describes each. Zero
// values are not written, so the operator's own default applies, unless a field says otherwise.
type Cluster struct {
	// Name of the HostedCluster; a DNS-1123 label. It is also the default name of the first NodePool.
	Name string `yaml:"-"`
	// Namespace of the HostedCluster and its companion objects. The control plane runs in "<Namespace>-<Name>".
	Namespace string `yaml:"-"`
	// Labels and Annotations of the HostedCluster. From multicluster engine 2.7 on, the ManagedCluster also gets the
	// labels.
	Labels      map[string]string `yaml:"-"`
	Annotations Annotations       `yaml:"-"`

	// Owner of the cluster, as a label value. Expires is when the cluster may be deleted: a time (RFC 3339), or a duration
	// after its creation, such as "6h".
	Owner   string `yaml:"owner"`
	Expires string `yaml:"expires"`

	// ReleaseImage is the OCP release payload. Version selects a release by version, such as "4.20.3"; Channel the newest
	// of an update channel, such as "stable-4.20"; ReleaseStream the newest of a stream of the CI's release server, the
	// only lookup on the internet.
	// At most one of ReleaseImage, Version and ReleaseStream may be set; if all are empty, Resolve decides. Channel is
	// written as spec.channel.
	ReleaseImage  string `yaml:"releaseImage"`
	Version       string `yaml:"version"`
	Channel       string `yaml:"channel"`
	ReleaseStream string `yaml:"releaseStream"`
	// Arch is the processor architecture of the release: amd64 or s390x on KubeVirt.
	Arch string `yaml:"arch"`

	// PullSecret is a dockerconfigjson. The default is the management cluster's Secret openshift-config/pull-secret.
	PullSecret File `yaml:"pullSecret"`
	// SSHKey holds public keys for user core of the nodes, in the format of authorized_keys. GenerateSSH creates a key
	// pair instead.
	SSHKey      File `yaml:"sshKey"`
	GenerateSSH bool `yaml:"generateSSH"`
	// AdditionalTrustBundle holds PEM certificates. ImageContentSources is a YAML list of sources and their mirrors.
	AdditionalTrustBundle File `yaml:"additionalTrustBundle"`
	ImageContentSources   File `yaml:"imageContentSources"`
	// InfraID identifies all objects of one cluster. If empty, it is generated from the name.
	InfraID string `yaml:"infraID"`
	// AdoptExisting lets a new cluster use existing Secrets and other objects with its names, whatever created them.
	AdoptExisting bool `yaml:"adoptExisting"`
	// AdoptNamespace lets a new cluster take over an existing control plane namespace that holds the user's own objects.
	AdoptNamespace bool `yaml:"adoptNamespace"`
	// FIPS runs the cluster in FIPS mode.
	FIPS bool `yaml:"fips"`

	// BaseDomain of the hosted cluster. If empty, its ingress passes through a wildcard Route of the management cluster.
	BaseDomain string `yaml:"baseDomain"`
	// BaseDomainPrefix replaces the name in front of the base domain; "none" means no prefix. AppsDomain is the domain of
	// the Routes.
	BaseDomainPrefix string `yaml:"baseDomainPrefix"`
	AppsDomain       string `yaml:"appsDomain"`
	// ExternalDNSDomain publishes the services by Routes with host names below it. Publish sets the strategy of one
	// service, as "SERVICE=STRATEGY[,hostname=H][,address=A][,port=P]"; ServicePublishingStrategy that of all: Ingress or
	// NodePort.
	ExternalDNSDomain         string   `yaml:"externalDNSDomain"`
	ServicePublishingStrategy string   `yaml:"servicePublishingStrategy"`
	APIServerAddress          string   `yaml:"apiServerAddress"`
	Publish                   []string `yaml:"publish"`
	// APIHostname is a fixed host name of the API server. KASDNSName is a second one with its own kubeconfig.
	APIHostname string `yaml:"apiHostname"`
	KASDNSName  string `yaml:"kasDNSName"`
	// MetalLBPool is an existing IPAddressPool for the cluster's addresses. MetalLBAddresses are addresses only for this
	// cluster.
	MetalLBPool      string `yaml:"metallbPool"`
	MetalLBAddresses List   `yaml:"metallbAddresses"`
	// AllowedCIDRBlocks are the networks that may reach the API server; empty means all.
	AllowedCIDRBlocks List `yaml:"allowedCIDRBlocks"`
	// Ingress selects what creates the Service and Route of the guest's *.apps: auto, service (hcctl) or operator.
	Ingress string `yaml:"ingress"`

	// NetworkType of the guest. The CIDRs are its networks, one or two of each.
	NetworkType string `yaml:"networkType"`
	ClusterCIDR List   `yaml:"clusterCIDR"`
	ServiceCIDR List   `yaml:"serviceCIDR"`
	MachineCIDR List   `yaml:"machineCIDR"`
	// CNI holds the manifests of the network plug-in, for networkType Other. GuestManifests are further manifests that the
	// hosted cluster needs early. Each may be a directory.
	CNI                            File   `yaml:"cni"`
	GuestManifests                 Files  `yaml:"guestManifests"`
	DisableMultiNetwork            bool   `yaml:"disableMultiNetwork"`
	AllocateNodeCIDRs              bool   `yaml:"allocateNodeCIDRs"`
	OVNKubernetesMTU               int32  `yaml:"ovnKubernetesMTU"`
	OVNInternalJoinSubnet          string `yaml:"ovnInternalJoinSubnet"`
	OVNInternalTransitSwitchSubnet string `yaml:"ovnInternalTransitSwitchSubnet"`
	HTTPProxy                      string `yaml:"httpProxy"`
	HTTPSProxy                     string `yaml:"httpsProxy"`
	NoProxy                        List   `yaml:"noProxy"`

	// ControlPlaneAvailabilityPolicy and InfraAvailabilityPolicy are HighlyAvailable or SingleReplica.
	ControlPlaneAvailabilityPolicy string `yaml:"controlPlaneAvailabilityPolicy"`
	InfraAvailabilityPolicy        string `yaml:"infraAvailabilityPolicy"`
	// NodeSelector, Toleration and PodsLabels apply to the pods of the control plane.
	NodeSelector map[string]string `yaml:"nodeSelector"`
	PodsLabels   map[string]string `yaml:"podsLabels"`
	Toleration   []string          `yaml:"toleration"`
	// ControlPlaneOperatorImage overrides the control plane operator of this cluster; for developers of HyperShift.
	ControlPlaneOperatorImage string `yaml:"controlPlaneOperatorImage"`
	// EtcdStorageClass of etcd's volumes; empty means the default class. EtcdStorageSize is the size of each, as a
	// quantity.
	EtcdStorageClass string `yaml:"etcdStorageClass"`
	EtcdStorageSize  string `yaml:"etcdStorageSize"`

	// OLMCatalogPlacement is management or guest.
	OLMCatalogPlacement        string `yaml:"olmCatalogPlacement"`
	OLMDisableDefaultSources   bool   `yaml:"olmDisableDefaultSources"`
	FeatureSet                 string `yaml:"featureSet"`
	EnableClusterCapabilities  List   `yaml:"enableClusterCapabilities"`
	DisableClusterCapabilities List   `yaml:"disableClusterCapabilities"`
	// IdentityProviders is a YAML list as in OAuth.config.openshift.io spec.identityProviders, OIDC one as in
	// Authentication spec.oidcProviders; not both. AuditProfile is the audit policy of the API server. AuditWebhook is the
	// kubeconfig of the server that receives audit events.
	IdentityProviders File   `yaml:"identityProviders"`
	OIDC              File   `yaml:"oidc"`
	AuditProfile      string `yaml:"auditProfile"`
	AuditWebhook      File   `yaml:"auditWebhook"`
	// ImageAdditionalTrustedCA names a ConfigMap, ServingCert Secrets as "SECRET[,HOST]...", both in the cluster's
	// namespace.
	ImageAdditionalTrustedCA string   `yaml:"imageAdditionalTrustedCA"`
	ServingCert              []string `yaml:"servingCert"`
	// OperatorConfiguration is YAML as in spec.operatorConfiguration. It is merged into Patches.
	OperatorConfiguration File `yaml:"operatorConfiguration"`
	// The limits of autoscaling, for all pools together. MaxNodesTotal 0 means no limit.
	MaxNodesTotal        int32         `yaml:"maxNodesTotal"`
	MaxNodeProvisionTime time.Duration `yaml:"maxNodeProvisionTime"`
	MaxPodGracePeriod    time.Duration `yaml:"maxPodGracePeriod"`
	AutoscalerScaling    string        `yaml:"autoscalerScaling"`
	// Manifests are objects for the cluster's namespace, such as the Secrets and ConfigMaps that other options name. They
	// are written first.
	Manifests Files `yaml:"manifests"`
	// Patches changes fields of the HostedCluster that no option writes; see Patch.
	Patches File `yaml:"patches"`
	// AllowKinds are further kinds that Manifests may have; see hostedcluster.CompanionKind. Only the command line sets
	// them.
	AllowKinds []string `yaml:"-"`

	// Spread distributes the worker VMs of all pools over hosts, racks or zones, as "KEY[=required|preferred][,max=N]".
	// Avoid lists hosted clusters, as "[namespace/]name", that must not share a host with this one.
	Spread []string `yaml:"spread"`
	Avoid  List     `yaml:"avoid"`
	// IsolateControlPlane is shared (only nodes for control planes) or dedicated (only nodes of this cluster).
	IsolateControlPlane string `yaml:"isolateControlPlane"`
	// NodeTopology are host labels that are copied to the nodes of the hosted cluster: host, zone or any other node label.
	NodeTopology List `yaml:"nodeTopology"`

	// InfraKubeconfigFile and InfraNamespace place the worker VMs on another cluster.
	InfraKubeconfigFile File   `yaml:"infraKubeconfigFile"`
	InfraNamespace      string `yaml:"infraNamespace"`
	// StorageDriver of the guest: Default, Manual (implied by a mapping) or None. A mapping is "infra/guest[,group=g]".
	StorageDriver                   string   `yaml:"storageDriver"`
	InfraStorageClassMapping        []string `yaml:"infraStorageClassMapping"`
	InfraVolumeSnapshotClassMapping []string `yaml:"infraVolumesnapshotClassMapping"`

	// Services are the services for the cluster's users, such as an identity provider.
	Services Services `yaml:"services"`

	// ManagedCluster has the cluster join its hub as a ManagedCluster and become available. ClusterSet and Addons imply
	// it.
	ManagedCluster bool `yaml:"managedCluster"`
	// ClusterSet is the ManagedClusterSet that the cluster joins. If empty, the hub chooses: default.
	ClusterSet string `yaml:"clusterSet"`
	// Addons are the names of required ManagedClusterAddOns. Other add-ons are left unchanged.
	Addons List `yaml:"addons"`

	// GuestDefaultStorageClass is the mapped class that is the default StorageClass of the hosted cluster.
	GuestDefaultStorageClass string `yaml:"guestDefaultStorageClass"`

	// PausedUntil is "true", "false" or a time (RFC 3339), for the HostedCluster and all its NodePools.
	PausedUntil string `yaml:"pausedUntil"`

	// NodePools are the pools of workers. The flags of create cluster set the first.
	NodePools []NodePool `yaml:"nodePools"`

	// Wait is the milestone up to which create waits.
	Wait Wait `yaml:"-"`
	// StableFor is how long the cluster has to stay healthy, with WaitHealthy.
	StableFor time.Duration `yaml:"-"`
}

// Defaults returns the options of a cluster for which the user gives only a name: one pool of DefaultNodePool, and
// create waits to the end. The highly available control plane is the default of the vendor's CLI, hcp.
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
		Services:                       defaultServices(),
		NodePools:                      []NodePool{DefaultNodePool()},
		Wait:                           WaitComplete,
		StableFor:                      time.Minute,
	}
}

// The defaults of the vendor's CLI. They must not overlap the management cluster's networks, which are 10.128.0.0/14
// and 172.30.0.0/16 on a default installation.
const (
	clusterNetwork = "10.132.0.0/14"
	serviceNetwork = "172.31.0.0/16"
	etcdSize       = "8Gi"
)

// The special types of options. The readers of flags and of files switch on them.

// File is a file that an option names, by its path in a Cluster file or on the command line.
type File struct {
	// Path as the user gave it; "-" is standard input, empty means no file.
	Path string
	// Directory of the document that names the file; empty if the command line names it.
	Directory string
	// Content of the file, once it has been read. Fields with Inline may have their content in the document, without a
	// Path.
	Content []byte
	// Parts are the files of a directory. Only fields with Directory accept one.
	Parts []manifests.File
}

// Manifests returns the manifest files that were read: the parts of a directory, or the file itself.
func (f File) Manifests() []manifests.File {
	if f.Content == nil {
		return f.Parts
	}
	return []manifests.File{{Name: f.Path, Data: f.Content}}
}

// Given reports whether there is a file.
func (f File) Given() bool { return f.Path != "" || len(f.Content) > 0 }

// Files are several files. The flag is repeated on the command line.
type Files []File

// List is a list of words. On the command line they are separated by commas, or the flag is repeated. An option whose
// values may contain commas is a []string instead: its flag is repeated.
type List []string

// Annotations is a map of strings. The flag is repeated on the command line, because values may contain commas.
type Annotations map[string]string

// Wait is the milestone up to which create waits for a new cluster.
type Wait string

// The milestones of a new cluster. Each includes those before it.
const (
	// WaitNone ends once the objects are written.
	WaitNone Wait = "none"
	// WaitAPI ends once the hosted API server answers.
	WaitAPI Wait = "api"
	// WaitNodes ends once every node of the NodePool has joined and is Ready.
	WaitNodes Wait = "nodes"
	// WaitComplete ends once the hosted cluster's own operators have all rolled out.
	WaitComplete Wait = "complete"
	// WaitHealthy ends once status has called the hosted cluster healthy for StableFor.
	WaitHealthy Wait = "healthy"
)

// Waits lists every Wait, the earliest milestone first.
func Waits() []Wait { return []Wait{WaitNone, WaitAPI, WaitNodes, WaitComplete, WaitHealthy} }

// Reaches reports whether w ends at or after other.
func (w Wait) Reaches(other Wait) bool {
	return slices.Index(Waits(), w) >= slices.Index(Waits(), other)
}

// WaitNames lists every Wait, separated by commas.
func WaitNames() string { return join(Waits()) }

// IngressMode selects what creates the ingress for the *.apps of a hosted cluster on the management cluster.
type IngressMode string

// The ingress modes.
const (
	// IngressAuto leaves it to the operators if they create it: if the ingress passes through, from 4.12.2 on.
	IngressAuto IngressMode = "auto"
	// IngressService lets hcctl create it, whatever the version.
	IngressService IngressMode = "service"
	// IngressOperator leaves it to the operators, or to the user.
	IngressOperator IngressMode = "operator"
)
