package options

import (
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/pkg/kube/manifests"
)

// Cluster describe one hosted cluster and its NodePools. Defaults fills in what a user need not say. The yaml tags are
// the names in a Cluster file, which are those of the flags in camel case; Fields describes each. What is zero is not
// written, so that the operator's own default holds, unless said otherwise.
type Cluster struct {
	// Name of the HostedCluster; a DNS-1123 label. The first NodePool has it as well, unless it has its own.
	Name string `yaml:"-"`
	// Namespace of the HostedCluster and all beside it. The control plane runs in "<Namespace>-<Name>".
	Namespace string `yaml:"-"`
	// Labels and Annotations of the HostedCluster. From multicluster engine 2.7 on the ManagedCluster gets the labels too.
	Labels      map[string]string `yaml:"-"`
	Annotations Annotations       `yaml:"-"`

	// Owner is to whom the cluster belongs, as the value of a label. Expires is when it may be deleted: a time in RFC
	// 3339, or how long after its creation, such as "6h".
	Owner   string `yaml:"owner"`
	Expires string `yaml:"expires"`

	// ReleaseImage is the OCP release payload; Version asks for a release by version, such as "4.20.3", Channel for the
	// newest of an update channel, such as "stable-4.20", and ReleaseStream for the newest of a stream of the CI's release
	// server, the one lookup on the internet. At most one of ReleaseImage, Version and ReleaseStream; all empty means
	// Resolve decides. Channel is written as spec.channel.
	ReleaseImage  string `yaml:"releaseImage"`
	Version       string `yaml:"version"`
	Channel       string `yaml:"channel"`
	ReleaseStream string `yaml:"releaseStream"`
	// Arch is the processor architecture of the release: amd64 or s390x on KubeVirt.
	Arch string `yaml:"arch"`

	// PullSecret is a dockerconfigjson. Empty means that of the management cluster's own Secret
	// openshift-config/pull-secret.
	PullSecret File `yaml:"pullSecret"`
	// SSHKey holds public keys for the nodes' user core, in the form of an authorized_keys file. GenerateSSH has a pair
	// made instead.
	SSHKey      File `yaml:"sshKey"`
	GenerateSSH bool `yaml:"generateSSH"`
	// AdditionalTrustBundle holds PEM certificates, ImageContentSources a YAML list of source and mirrors.
	AdditionalTrustBundle File `yaml:"additionalTrustBundle"`
	ImageContentSources   File `yaml:"imageContentSources"`
	// InfraID ties together everything of one cluster. Empty means one is made of the name.
	InfraID string `yaml:"infraID"`
	// AdoptExisting has a new cluster use Secrets and other objects of its names that are there already, whoever made
	// them.
	AdoptExisting bool `yaml:"adoptExisting"`
	// AdoptNamespace has a new cluster take over the control plane's namespace, where it is there with the user's own
	// objects.
	AdoptNamespace bool `yaml:"adoptNamespace"`
	// FIPS has the cluster run in FIPS mode.
	FIPS bool `yaml:"fips"`

	// BaseDomain of the hosted cluster. Empty means its ingress passes through a wildcard Route of the management cluster.
	BaseDomain string `yaml:"baseDomain"`
	// BaseDomainPrefix stands before it in place of the name, and "none" for nothing; AppsDomain is that of its Routes.
	BaseDomainPrefix string `yaml:"baseDomainPrefix"`
	AppsDomain       string `yaml:"appsDomain"`
	// ExternalDNSDomain publishes the services by Routes with host names below it; Publish says how each service is
	// published, as "SERVICE=STRATEGY[,hostname=H][,address=A][,port=P]"; ServicePublishingStrategy how all are, Ingress
	// or NodePort.
	ExternalDNSDomain         string   `yaml:"externalDNSDomain"`
	ServicePublishingStrategy string   `yaml:"servicePublishingStrategy"`
	APIServerAddress          string   `yaml:"apiServerAddress"`
	Publish                   []string `yaml:"publish"`
	// APIHostname is a fixed host name of the API server; KASDNSName one more that gets a kubeconfig of its own.
	APIHostname string `yaml:"apiHostname"`
	KASDNSName  string `yaml:"kasDNSName"`
	// MetalLBPool is an IPAddressPool to take the cluster's addresses from, MetalLBAddresses are addresses of its own.
	MetalLBPool      string `yaml:"metallbPool"`
	MetalLBAddresses List   `yaml:"metallbAddresses"`
	// AllowedCIDRBlocks may reach the API server; empty means all.
	AllowedCIDRBlocks List `yaml:"allowedCIDRBlocks"`
	// Ingress says who makes the Service and Route of the guest's *.apps: auto, service (hcctl) or operator.
	Ingress string `yaml:"ingress"`

	// NetworkType of the guest; the CIDRs are its networks, one or two of each.
	NetworkType string `yaml:"networkType"`
	ClusterCIDR List   `yaml:"clusterCIDR"`
	ServiceCIDR List   `yaml:"serviceCIDR"`
	MachineCIDR List   `yaml:"machineCIDR"`
	// CNI are the manifests of the network plug-in of a cluster with networkType Other, GuestManifests further ones that
	// the hosted cluster has to have early. Each may be a directory.
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
	// NodeSelector, Toleration and PodsLabels are those of the control plane's pods.
	NodeSelector map[string]string `yaml:"nodeSelector"`
	PodsLabels   map[string]string `yaml:"podsLabels"`
	Toleration   []string          `yaml:"toleration"`
	// ControlPlaneOperatorImage overrides the operator that HyperShift runs for this cluster; for developers of
	// HyperShift.
	ControlPlaneOperatorImage string `yaml:"controlPlaneOperatorImage"`
	// EtcdStorageClass of etcd's volumes, empty for the default one, and EtcdStorageSize of each as a quantity.
	EtcdStorageClass string `yaml:"etcdStorageClass"`
	EtcdStorageSize  string `yaml:"etcdStorageSize"`

	// OLMCatalogPlacement is management or guest.
	OLMCatalogPlacement        string `yaml:"olmCatalogPlacement"`
	OLMDisableDefaultSources   bool   `yaml:"olmDisableDefaultSources"`
	FeatureSet                 string `yaml:"featureSet"`
	EnableClusterCapabilities  List   `yaml:"enableClusterCapabilities"`
	DisableClusterCapabilities List   `yaml:"disableClusterCapabilities"`
	// IdentityProviders is a YAML list as in OAuth.config.openshift.io spec.identityProviders, OIDC one as in
	// Authentication spec.oidcProviders; not both. AuditProfile is the API server's audit policy, AuditWebhook a
	// kubeconfig of where its events go.
	IdentityProviders File   `yaml:"identityProviders"`
	OIDC              File   `yaml:"oidc"`
	AuditProfile      string `yaml:"auditProfile"`
	AuditWebhook      File   `yaml:"auditWebhook"`
	// ImageAdditionalTrustedCA is a ConfigMap, ServingCert are Secrets as "SECRET[,HOST]...", both of the cluster's
	// namespace.
	ImageAdditionalTrustedCA string   `yaml:"imageAdditionalTrustedCA"`
	ServingCert              []string `yaml:"servingCert"`
	// OperatorConfiguration is YAML as in spec.operatorConfiguration, which becomes part of Patches.
	OperatorConfiguration File `yaml:"operatorConfiguration"`
	// The bounds of autoscaling, for all pools together. MaxNodesTotal 0 means none.
	MaxNodesTotal        int32         `yaml:"maxNodesTotal"`
	MaxNodeProvisionTime time.Duration `yaml:"maxNodeProvisionTime"`
	MaxPodGracePeriod    time.Duration `yaml:"maxPodGracePeriod"`
	AutoscalerScaling    string        `yaml:"autoscalerScaling"`
	// Manifests are objects for the cluster's namespace, such as the Secrets and ConfigMaps that other options name;
	// written first.
	Manifests Files `yaml:"manifests"`
	// Patches changes fields of the HostedCluster that no option writes, see Patch.
	Patches File `yaml:"patches"`
	// AllowKinds are further kinds that Manifests may have, see hostedcluster.CompanionKind. Only the command line says
	// them.
	AllowKinds []string `yaml:"-"`

	// Spread says how the worker VMs of all pools stand on different hosts, racks or zones, as
	// "KEY[=required|preferred][,max=N]"; Avoid are hosted clusters, as "[namespace/]name", that they share no host with.
	Spread []string `yaml:"spread"`
	Avoid  List     `yaml:"avoid"`
	// IsolateControlPlane is shared or dedicated: the control plane runs only on nodes for control planes, or only on
	// nodes of this cluster.
	IsolateControlPlane string `yaml:"isolateControlPlane"`
	// NodeTopology are labels of the hosts that the hosted cluster's nodes get: host, zone or any label of nodes.
	NodeTopology List `yaml:"nodeTopology"`

	// InfraKubeconfigFile and InfraNamespace put the worker VMs on another cluster.
	InfraKubeconfigFile File   `yaml:"infraKubeconfigFile"`
	InfraNamespace      string `yaml:"infraNamespace"`
	// StorageDriver of the guest: Default, Manual (implied by a mapping) or None. The mappings are
	// "infra/guest[,group=g]".
	StorageDriver                   string   `yaml:"storageDriver"`
	InfraStorageClassMapping        []string `yaml:"infraStorageClassMapping"`
	InfraVolumeSnapshotClassMapping []string `yaml:"infraVolumesnapshotClassMapping"`

	// Services are what people use the cluster with.
	Services Services `yaml:"services"`

	// ManagedCluster has the cluster joined to its hub as a ManagedCluster, and available; the next two imply it.
	ManagedCluster bool `yaml:"managedCluster"`
	// ClusterSet is the ManagedClusterSet that it joins, empty for the hub's choice: default.
	ClusterSet string `yaml:"clusterSet"`
	// Addons are names of ManagedClusterAddOns that it has to have. Others are left as they are.
	Addons List `yaml:"addons"`

	// GuestDefaultStorageClass is the class of the mappings that claims in the hosted cluster get unless they name one.
	GuestDefaultStorageClass string `yaml:"guestDefaultStorageClass"`

	// PausedUntil is "true", "false" or a time (RFC 3339), for the HostedCluster and all its NodePools.
	PausedUntil string `yaml:"pausedUntil"`

	// NodePools are the pools of workers. The first is the one that the flags of create cluster speak of.
	NodePools []NodePool `yaml:"nodePools"`

	// Wait says how far the cluster is followed.
	Wait Wait `yaml:"-"`
	// StableFor is how long it has to be healthy, with WaitHealthy.
	StableFor time.Duration `yaml:"-"`
}

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
		Services:                       defaultServices(),
		NodePools:                      []NodePool{DefaultNodePool()},
		Wait:                           WaitComplete,
		StableFor:                      time.Minute,
	}
}

// The vendor CLI's defaults, which must not overlap the management cluster's own networks (10.128.0.0/14 and
// 172.30.0.0/16 on a default installation).
const (
	clusterNetwork = "10.132.0.0/14"
	serviceNetwork = "172.31.0.0/16"
	etcdSize       = "8Gi"
)

// The types of options that are not plain ones. What reads options, from flags or from a file, goes by them.

// File is a file that an option names. In a Cluster file and on the command line it is a path.
type File struct {
	// Path as it was given, "-" for standard input; empty means no file.
	Path string
	// Directory is that of the document that names the file; empty where the command line does.
	Directory string
	// Content is what was in it, once it has been read. Fields with Inline may have it from the document, without a Path.
	Content []byte
	// Parts are the files in it where it is a directory, which only fields with Directory take.
	Parts []manifests.File
}

// Manifests are the files of manifests that were read of it: its parts, or itself.
func (f File) Manifests() []manifests.File {
	if f.Content == nil {
		return f.Parts
	}
	return []manifests.File{{Name: f.Path, Data: f.Content}}
}

// Given reports whether there is a file.
func (f File) Given() bool { return f.Path != "" || len(f.Content) > 0 }

// Files are several files; on the command line the flag is repeated.
type Files []File

// List is a list of words; on the command line they are separated by commas, or the flag is repeated. A []string is for
// values that may have commas in themselves: there the flag is repeated.
type List []string

// Annotations are as a map of strings; on the command line the flag is repeated, as values may have commas in
// themselves.
type Annotations map[string]string

// Wait says how far a new cluster is followed.
type Wait string

// How far a new cluster can be followed, each including those before it.
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

// Waits lists every Wait, the shortest first.
func Waits() []Wait { return []Wait{WaitNone, WaitAPI, WaitNodes, WaitComplete, WaitHealthy} }

// Reaches reports whether w ends at or after another milestone.
func (w Wait) Reaches(other Wait) bool {
	return slices.Index(Waits(), w) >= slices.Index(Waits(), other)
}

// WaitNames lists every Wait for a sentence.
func WaitNames() string {
	var words []string
	for _, w := range Waits() {
		words = append(words, string(w))
	}
	return strings.Join(words, ", ")
}

// IngressMode says who makes the way in for a hosted cluster's *.apps on the management cluster.
type IngressMode string

// Who makes it.
const (
	// IngressAuto leaves it to the operators where they do it: for clusters whose ingress passes through, from 4.12.2 on.
	IngressAuto IngressMode = "auto"
	// IngressService has hcctl make it, whatever the version.
	IngressService IngressMode = "service"
	// IngressOperator leaves it to the operators, or to the user.
	IngressOperator IngressMode = "operator"
)
