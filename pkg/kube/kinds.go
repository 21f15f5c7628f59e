package kube

import (
	configv1 "github.com/openshift/api/config/v1"
	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	olmv1 "github.com/operator-framework/api/pkg/operators/v1"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	addonv1alpha1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

// Kind is a kind of the API with its resource name and scope.
type Kind struct {
	schema.GroupVersionKind
	// Plural is the resource name, as in URL paths.
	Plural string
	// Namespaced is false for cluster-scoped kinds.
	Namespaced bool
}

// Resource returns the group, version and plural name.
func (k Kind) Resource() schema.GroupVersionResource { return k.GroupVersion().WithResource(k.Plural) }

// New returns an empty object of the kind.
func (k Kind) New() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(k.GroupVersionKind)
	return u
}

// NewList returns an empty list of the kind.
func (k Kind) NewList() *unstructured.UnstructuredList {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(k.GroupVersion().WithKind(k.Kind + "List"))
	return l
}

func namespaced(group, version, kind, plural string) Kind {
	return Kind{schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, plural, true}
}

func clusterScoped(group, version, kind, plural string) Kind {
	return Kind{schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, plural, false}
}

// Kinds that hcctl handles as unstructured objects, with the functions of unstructured.go. They have no Go type, or its
// module is too large for the one or two types that hcctl uses.
var (
	MultiClusterEngine = clusterScoped("multicluster.openshift.io", "v1", "MultiClusterEngine",
		"multiclusterengines")
	MultiClusterHub = namespaced("operator.open-cluster-management.io", "v1", "MultiClusterHub",
		"multiclusterhubs")
	// ClusterExtension installs an operator with OLM v1, in place of a Subscription.
	ClusterExtension = clusterScoped("olm.operatorframework.io", "v1", "ClusterExtension", "clusterextensions")
	HyperConverged   = namespaced("hco.kubevirt.io", "v1beta1", "HyperConverged", "hyperconvergeds")
	HyperConvergedV1 = namespaced("hco.kubevirt.io", "v1", "HyperConverged", "hyperconvergeds")
	StorageCluster   = namespaced("ocs.openshift.io", "v1", "StorageCluster", "storageclusters")
	CephCluster      = namespaced("ceph.rook.io", "v1", "CephCluster", "cephclusters")
	// StorageConsumer and StorageClient provide the classes of a StorageCluster since Data Foundation 4.19.
	StorageConsumer = namespaced("ocs.openshift.io", "v1alpha1", "StorageConsumer", "storageconsumers")
	StorageClient   = clusterScoped("ocs.openshift.io", "v1alpha1", "StorageClient", "storageclients")
	// Console configures the web console. Its only object has the name cluster.
	Console = clusterScoped("operator.openshift.io", "v1", "Console", "consoles")
	// OperatorNetwork configures the network operator. Its only object has the name cluster, like
	// Network.config.openshift.io.
	IngressController    = namespaced("operator.openshift.io", "v1", "IngressController", "ingresscontrollers")
	OperatorNetwork      = clusterScoped("operator.openshift.io", "v1", "Network", "networks")
	StorageSystem        = namespaced("odf.openshift.io", "v1alpha1", "StorageSystem", "storagesystems")
	LocalVolumeDiscovery = namespaced("local.storage.openshift.io", "v1alpha1", "LocalVolumeDiscovery",
		"localvolumediscoveries")
	LocalVolumeDiscoveryResult = namespaced("local.storage.openshift.io", "v1alpha1", "LocalVolumeDiscoveryResult",
		"localvolumediscoveryresults")
	LocalVolume    = namespaced("local.storage.openshift.io", "v1", "LocalVolume", "localvolumes")
	LocalVolumeSet = namespaced("local.storage.openshift.io", "v1alpha1", "LocalVolumeSet", "localvolumesets")
	// HostPathProvisioner has no status subresource (4.12 to 5.1).
	HostPathProvisioner = clusterScoped("hostpathprovisioner.kubevirt.io", "v1beta1", "HostPathProvisioner",
		"hostpathprovisioners")
	LVMCluster      = namespaced("lvm.topolvm.io", "v1alpha1", "LVMCluster", "lvmclusters")
	MetalLB         = namespaced("metallb.io", "v1beta1", "MetalLB", "metallbs")
	IPAddressPool   = namespaced("metallb.io", "v1beta1", "IPAddressPool", "ipaddresspools")
	L2Advertisement = namespaced("metallb.io", "v1beta1", "L2Advertisement", "l2advertisements")
	// ConfigurationState is the report of a MetalLB component about its configuration (MetalLB operator 4.21 and later).
	ConfigurationState = namespaced("metallb.io", "v1beta1", "ConfigurationState", "configurationstates")
	BGPAdvertisement   = namespaced("metallb.io", "v1beta1", "BGPAdvertisement", "bgpadvertisements")
	BGPPeer            = namespaced("metallb.io", "v1beta2", "BGPPeer", "bgppeers")
	NodeNetworkState   = clusterScoped("nmstate.io", "v1beta1", "NodeNetworkState", "nodenetworkstates")
	PackageManifest    = namespaced("packages.operators.coreos.com", "v1", "PackageManifest", "packagemanifests")
	// MutatingWebhookConfiguration is handled as unstructured, because hcctl uses its Go types for nothing else.
	MutatingWebhookConfiguration = clusterScoped("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
		"mutatingwebhookconfigurations")
	Node = clusterScoped("", "v1", "Node", "nodes")
	// Kinds whose leftover objects hcctl only reports.
	ValidatingWebhookConfiguration = clusterScoped("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",
		"validatingwebhookconfigurations")
	ValidatingAdmissionPolicy = clusterScoped("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy",
		"validatingadmissionpolicies")
	PriorityClass              = clusterScoped("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses")
	SecurityContextConstraints = clusterScoped("security.openshift.io", "v1", "SecurityContextConstraints",
		"securitycontextconstraints")
	DataVolume          = namespaced("cdi.kubevirt.io", "v1beta1", "DataVolume", "datavolumes")
	StorageProfile      = clusterScoped("cdi.kubevirt.io", "v1beta1", "StorageProfile", "storageprofiles")
	VolumeSnapshotClass = clusterScoped("snapshot.storage.k8s.io", "v1", "VolumeSnapshotClass",
		"volumesnapshotclasses")
	VolumeSnapshot = namespaced("snapshot.storage.k8s.io", "v1", "VolumeSnapshot",
		"volumesnapshots")
	ClusterImageSet = clusterScoped("hive.openshift.io", "v1", "ClusterImageSet", "clusterimagesets")
	// Kinds of multicluster engine's other components, whose objects block its deletion.
	DiscoveryConfig    = namespaced("discovery.open-cluster-management.io", "v1", "DiscoveryConfig", "discoveryconfigs")
	AgentServiceConfig = clusterScoped("agent-install.openshift.io", "v1beta1", "AgentServiceConfig",
		"agentserviceconfigs")
	ClusterPool                 = namespaced("hive.openshift.io", "v1", "ClusterPool", "clusterpools")
	NetworkAttachmentDefinition = namespaced("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition",
		"network-attachment-definitions")
	MachineConfigPool = clusterScoped("machineconfiguration.openshift.io", "v1", "MachineConfigPool",
		"machineconfigpools")
	ImageContentSourcePolicy = clusterScoped("operator.openshift.io", "v1alpha1", "ImageContentSourcePolicy",
		"imagecontentsourcepolicies")
	CustomResourceDefinition = clusterScoped("apiextensions.k8s.io", "v1", "CustomResourceDefinition",
		"customresourcedefinitions")
	// EndpointSlice has the addresses of the pods behind a Service.
	EndpointSlice       = namespaced("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")
	PodDisruptionBudget = namespaced("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets")
	// DataProtectionApplication makes OADP install Velero.
	DataProtectionApplication = namespaced("oadp.openshift.io", "v1alpha1", "DataProtectionApplication",
		"dataprotectionapplications")
	// Kinds of Kubernetes that hcctl only writes, for schedules.
	CronJob            = namespaced("batch", "v1", "CronJob", "cronjobs")
	ServiceAccount     = namespaced("", "v1", "ServiceAccount", "serviceaccounts")
	Role               = namespaced("rbac.authorization.k8s.io", "v1", "Role", "roles")
	RoleBinding        = namespaced("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings")
	ClusterRole        = clusterScoped("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles")
	ClusterRoleBinding = clusterScoped("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings")
	// ArgoCD is an instance of Argo CD; Application deploys one directory of a Git repository to one cluster. ArgoCD
	// v1beta1 is served since OpenShift GitOps 1.10.
	ArgoCD         = namespaced("argoproj.io", "v1beta1", "ArgoCD", "argocds")
	ArgoCDV1alpha1 = namespaced("argoproj.io", "v1alpha1", "ArgoCD", "argocds")
	Application    = namespaced("argoproj.io", "v1alpha1", "Application", "applications")
	ApplicationSet = namespaced("argoproj.io", "v1alpha1", "ApplicationSet", "applicationsets")
	// GitopsService is the object from which OpenShift GitOps creates its instance of Argo CD. Its only object has the
	// name cluster.
	GitopsService = clusterScoped("pipelines.openshift.io", "v1alpha1", "GitopsService", "gitopsservices")
	// GitOpsCluster registers managed clusters of Advanced Cluster Management in Argo CD.
	GitOpsCluster = namespaced("apps.open-cluster-management.io", "v1beta1", "GitOpsCluster", "gitopsclusters")
	// Lease is a kind of Kubernetes; on a hub each managed cluster renews one.
	Lease = namespaced("coordination.k8s.io", "v1", "Lease", "leases")
	// Kinds of Open Cluster Management on a hub.
	PlacementDecision = namespaced("cluster.open-cluster-management.io", "v1beta1", "PlacementDecision",
		"placementdecisions")
	Placement           = namespaced("cluster.open-cluster-management.io", "v1beta1", "Placement", "placements")
	AddOnPlacementScore = namespaced("cluster.open-cluster-management.io", "v1alpha1", "AddOnPlacementScore",
		"addonplacementscores")
	ManifestWorkReplicaSet = namespaced("work.open-cluster-management.io", "v1alpha1", "ManifestWorkReplicaSet",
		"manifestworkreplicasets")
	ManagedClusterSet = clusterScoped("cluster.open-cluster-management.io", "v1beta2", "ManagedClusterSet",
		"managedclustersets")
	ManagedClusterSetBinding = namespaced("cluster.open-cluster-management.io", "v1beta2", "ManagedClusterSetBinding",
		"managedclustersetbindings")
	// CertificateSigningRequest is created by an agent of Open Cluster Management to join its hub.
	CertificateSigningRequest = clusterScoped("certificates.k8s.io", "v1", "CertificateSigningRequest",
		"certificatesigningrequests")
	// KlusterletAddonConfig selects the add-ons that Advanced Cluster Management installs on a managed cluster.
	KlusterletAddonConfig = namespaced("agent.open-cluster-management.io", "v1", "KlusterletAddonConfig",
		"klusterletaddonconfigs")
	// Kinds of Cluster API and of its KubeVirt provider, in the namespace of a control plane.
	CAPICluster       = namespaced("cluster.x-k8s.io", "v1beta1", "Cluster", "clusters")
	Machine           = namespaced("cluster.x-k8s.io", "v1beta1", "Machine", "machines")
	MachineSet        = namespaced("cluster.x-k8s.io", "v1beta1", "MachineSet", "machinesets")
	MachineDeployment = namespaced("cluster.x-k8s.io", "v1beta1", "MachineDeployment", "machinedeployments")
	KubevirtMachine   = namespaced("infrastructure.cluster.x-k8s.io", "v1alpha1", "KubevirtMachine", "kubevirtmachines")
	// APIRequestCount counts the requests for one version of a resource in the last 24 hours.
	APIRequestCount = clusterScoped("apiserver.openshift.io", "v1", "APIRequestCount", "apirequestcounts")
)

// Kinds that have a Go type, for callers that need only names or a few fields.
var (
	ClusterServiceVersion = namespaced("operators.coreos.com", "v1alpha1", "ClusterServiceVersion",
		"clusterserviceversions")
	CatalogSource        = namespaced("operators.coreos.com", "v1alpha1", "CatalogSource", "catalogsources")
	ImageDigestMirrorSet = clusterScoped("config.openshift.io", "v1", "ImageDigestMirrorSet", "imagedigestmirrorsets")
	ImageTagMirrorSet    = clusterScoped("config.openshift.io", "v1", "ImageTagMirrorSet", "imagetagmirrorsets")
	// VirtualMachineInstance is a running VM.
	VirtualMachineInstance = namespaced("kubevirt.io", "v1", "VirtualMachineInstance", "virtualmachineinstances")
	// HostedCluster and NodePool are kinds of HyperShift.
	HostedCluster = namespaced("hypershift.openshift.io", "v1beta1", "HostedCluster", "hostedclusters")
	NodePool      = namespaced("hypershift.openshift.io", "v1beta1", "NodePool", "nodepools")
	Namespace     = clusterScoped("", "v1", "Namespace", "namespaces")
	ConfigMap     = namespaced("", "v1", "ConfigMap", "configmaps")
	Secret        = namespaced("", "v1", "Secret", "secrets")
	// Scheduler decides whether control plane nodes run workloads (mastersSchedulable). Its only object has the name
	// cluster.
	Scheduler = clusterScoped("config.openshift.io", "v1", "Scheduler", "schedulers")
	// ImageConfig has the registries that the cluster trusts. Its only object has the name cluster.
	ImageConfig  = clusterScoped("config.openshift.io", "v1", "Image", "images")
	StorageClass = clusterScoped("storage.k8s.io", "v1", "StorageClass", "storageclasses")
	// ManagedCluster and ManifestWork are kinds of Open Cluster Management.
	ManagedCluster = clusterScoped("cluster.open-cluster-management.io", "v1", "ManagedCluster", "managedclusters")
	ManifestWork   = namespaced("work.open-cluster-management.io", "v1", "ManifestWork", "manifestworks")
)

// typed lists the kinds whose Go types are in the scheme.
var typed = []Kind{
	Namespace, Node,
	clusterScoped("", "v1", "PersistentVolume", "persistentvolumes"),
	namespaced("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
	namespaced("", "v1", "ResourceQuota", "resourcequotas"),
	namespaced("", "v1", "Pod", "pods"),
	Secret, ConfigMap,
	namespaced("", "v1", "Service", "services"),
	namespaced("", "v1", "Event", "events"),
	namespaced("apps", "v1", "Deployment", "deployments"),
	namespaced("apps", "v1", "StatefulSet", "statefulsets"),
	namespaced("apps", "v1", "DaemonSet", "daemonsets"),
	StorageClass,
	clusterScoped("storage.k8s.io", "v1", "CSIDriver", "csidrivers"),
	clusterScoped("storage.k8s.io", "v1", "CSINode", "csinodes"),
	clusterScoped("authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews"),
	clusterScoped("config.openshift.io", "v1", "ClusterVersion", "clusterversions"),
	clusterScoped("config.openshift.io", "v1", "ClusterOperator", "clusteroperators"),
	clusterScoped("config.openshift.io", "v1", "Infrastructure", "infrastructures"),
	clusterScoped("config.openshift.io", "v1", "Network", "networks"),
	clusterScoped("config.openshift.io", "v1", "Ingress", "ingresses"),
	clusterScoped("config.openshift.io", "v1", "OperatorHub", "operatorhubs"),
	ImageConfig,
	clusterScoped("config.openshift.io", "v1", "Proxy", "proxies"),
	Scheduler,
	ImageDigestMirrorSet, ImageTagMirrorSet,
	namespaced("route.openshift.io", "v1", "Route", "routes"),
	CatalogSource,
	namespaced("operators.coreos.com", "v1alpha1", "Subscription", "subscriptions"),
	namespaced("operators.coreos.com", "v1alpha1", "InstallPlan", "installplans"),
	namespaced("operators.coreos.com", "v1alpha1", "ClusterServiceVersion", "clusterserviceversions"),
	namespaced("operators.coreos.com", "v1", "OperatorGroup", "operatorgroups"),
	ManagedCluster, ManifestWork,
	namespaced("addon.open-cluster-management.io", "v1alpha1", "ManagedClusterAddOn", "managedclusteraddons"),
	namespaced("addon.open-cluster-management.io", "v1alpha1", "AddOnDeploymentConfig", "addondeploymentconfigs"),
	namespaced("hypershift.openshift.io", "v1beta1", "HostedCluster", "hostedclusters"),
	namespaced("hypershift.openshift.io", "v1beta1", "NodePool", "nodepools"),
	namespaced("hypershift.openshift.io", "v1beta1", "HostedControlPlane", "hostedcontrolplanes"),
	namespaced("hypershift.openshift.io", "v1beta1", "ControlPlaneComponent", "controlplanecomponents"),
	namespaced("kubevirt.io", "v1", "VirtualMachine", "virtualmachines"),
	namespaced("kubevirt.io", "v1", "VirtualMachineInstance", "virtualmachineinstances"),
	namespaced("kubevirt.io", "v1", "VirtualMachineInstanceMigration", "virtualmachineinstancemigrations"),
}

// unstructuredKinds lists the exported kinds above.
func unstructuredKinds() []Kind {
	return []Kind{MultiClusterEngine, MultiClusterHub, ClusterExtension, HyperConverged, HyperConvergedV1,
		StorageCluster, StorageSystem, CephCluster, StorageConsumer, StorageClient, Console, IngressController,
		OperatorNetwork,
		LocalVolumeDiscovery, LocalVolumeDiscoveryResult, LocalVolume, LocalVolumeSet, HostPathProvisioner, LVMCluster,
		MetalLB, IPAddressPool, L2Advertisement, ConfigurationState, BGPAdvertisement, BGPPeer, NodeNetworkState,
		PackageManifest, StorageProfile, VolumeSnapshotClass, VolumeSnapshot, ClusterImageSet, DiscoveryConfig,
		AgentServiceConfig, ClusterPool, NetworkAttachmentDefinition, MachineConfigPool,
		ImageContentSourcePolicy,
		CustomResourceDefinition, PodDisruptionBudget, APIRequestCount, DataProtectionApplication,
		ArgoCD, ArgoCDV1alpha1, Application, ApplicationSet, GitopsService, GitOpsCluster, ManagedClusterSetBinding,
		MutatingWebhookConfiguration, ValidatingWebhookConfiguration, ValidatingAdmissionPolicy, PriorityClass,
		SecurityContextConstraints, Lease, Placement, PlacementDecision,
		AddOnPlacementScore, ManifestWorkReplicaSet, CronJob, ServiceAccount, Role, RoleBinding, ClusterRole,
		ClusterRoleBinding, CertificateSigningRequest, ManagedClusterSet, KlusterletAddonConfig,
		EndpointSlice, DataVolume, CAPICluster, Machine, MachineSet, MachineDeployment, KubevirtMachine}
}

// newMapper returns a mapper of every kind in the tables. It sends no request.
func newMapper() *discoveryMapper {
	mapper := &discoveryMapper{DefaultRESTMapper: meta.NewDefaultRESTMapper(nil), discovering: make(chan struct{}, 1)}
	for _, k := range append(unstructuredKinds(), typed...) {
		mapper.add(k)
		if len(k.Versions()) > 1 {
			delete(mapper.discovered, k.Resource().GroupResource())
		}
	}
	return mapper
}

// NewScheme returns a new scheme of all kinds that hcctl uses through a Go type.
func NewScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, storagev1.AddToScheme, authorizationv1.AddToScheme,
		rbacv1.AddToScheme,
		configv1.Install, routev1.Install,
		olmv1.AddToScheme, olmv1alpha1.AddToScheme,
		clusterv1.Install, addonv1alpha1.Install, workv1.Install,
		hyperv1.AddToScheme, kubevirtv1.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return scheme
}
