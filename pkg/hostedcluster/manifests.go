package hostedcluster

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/openshift/hypershift/api/util/ipnet"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The vendor CLI's defaults, which must not overlap the management cluster's own networks (10.128.0.0/14 and 172.30.0.0/16
// on a default installation).
const (
	clusterNetwork = "10.132.0.0/14"
	serviceNetwork = "172.31.0.0/16"
	etcdSize       = "8Gi"
)

const encryptionKeyLength = 32

// Inputs are what Options leave open, resolved.
type Inputs struct {
	// InfraID ties everything of one cluster together; it never changes.
	InfraID string
	// ReleaseImage is the release payload, and ReleaseFrom says where it was found.
	ReleaseImage, ReleaseFrom string
	// PullSecret is the content of the dockerconfigjson.
	PullSecret []byte
	// EncryptionKey is used if there is none yet.
	EncryptionKey []byte
}

// Objects are everything a hosted cluster consists of, in the order they are to be written: Namespace, Secrets, HostedCluster,
// NodePool. It is what the vendor's product CLI, hcp, writes with its defaults (a highly available control plane), except
// that the Namespace, which clusters share, carries no label of one of them.
func Objects(o Options, in Inputs) []client.Object {
	objects := []client.Object{namespaceOf(o), pullSecretOf(o, in)}
	if len(o.SSHKey) > 0 {
		objects = append(objects, sshKeyOf(o, in))
	}
	return append(objects, encryptionKeyOf(o, in), hostedClusterOf(o, in), nodePoolOf(o, in))
}

func namespaceOf(o Options) *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: o.Namespace},
	}
}

func secretOf(o Options, in Inputs, name, key string, content []byte) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: o.Namespace,
			Labels: map[string]string{infraLabel: in.InfraID, safeToDeleteLabel: "true"},
		},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{key: content},
	}
}

func pullSecretOf(o Options, in Inputs) *corev1.Secret {
	return secretOf(o, in, pullSecretName(o.Name), corev1.DockerConfigJsonKey, in.PullSecret)
}

func sshKeyOf(o Options, in Inputs) *corev1.Secret {
	return secretOf(o, in, sshKeyName(o.Name), "id_rsa.pub", o.SSHKey)
}

func encryptionKeyOf(o Options, in Inputs) *corev1.Secret {
	return secretOf(o, in, encryptionKeyName(o.Name), hyperv1.AESCBCKeySecretKey, in.EncryptionKey)
}

func hostedClusterOf(o Options, in Inputs) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "HostedCluster"},
		ObjectMeta: metav1.ObjectMeta{
			Name: o.Name, Namespace: o.Namespace,
			Labels: map[string]string{infraLabel: in.InfraID},
		},
		Spec: hyperv1.HostedClusterSpec{
			Capabilities:                 &hyperv1.Capabilities{},
			Configuration:                &hyperv1.ClusterConfiguration{},
			ControllerAvailabilityPolicy: hyperv1.HighlyAvailable,
			DNS:                          hyperv1.DNSSpec{BaseDomain: o.BaseDomain},
			Etcd:                         etcdOf(o),
			InfraID:                      in.InfraID,
			Networking: hyperv1.ClusterNetworking{
				NetworkType:    hyperv1.OVNKubernetes,
				ClusterNetwork: []hyperv1.ClusterNetworkEntry{{CIDR: *ipnet.MustParseCIDR(clusterNetwork)}},
				ServiceNetwork: []hyperv1.ServiceNetworkEntry{{CIDR: *ipnet.MustParseCIDR(serviceNetwork)}},
			},
			OLMCatalogPlacement: hyperv1.ManagementOLMCatalogPlacement,
			Platform:            hyperv1.PlatformSpec{Type: hyperv1.KubevirtPlatform, Kubevirt: &hyperv1.KubevirtPlatformSpec{}},
			PullSecret:          corev1.LocalObjectReference{Name: pullSecretName(o.Name)},
			Release:             hyperv1.Release{Image: in.ReleaseImage},
			SecretEncryption: &hyperv1.SecretEncryptionSpec{
				Type:   hyperv1.AESCBC,
				AESCBC: &hyperv1.AESCBCSpec{ActiveKey: corev1.LocalObjectReference{Name: encryptionKeyName(o.Name)}},
			},
			Services: services(),
		},
	}
	if o.BaseDomain == "" {
		hc.Spec.Platform.Kubevirt.BaseDomainPassthrough = ptr.To(true)
	}
	if len(o.SSHKey) > 0 {
		hc.Spec.SSHKey.Name = sshKeyName(o.Name)
	}
	return hc
}

func etcdOf(o Options) hyperv1.EtcdSpec {
	volume := &hyperv1.PersistentVolumeEtcdStorageSpec{Size: ptr.To(resource.MustParse(etcdSize))}
	if o.EtcdStorageClass != "" {
		volume.StorageClassName = ptr.To(o.EtcdStorageClass)
	}
	return hyperv1.EtcdSpec{
		ManagementType: hyperv1.Managed,
		Managed: &hyperv1.ManagedEtcdSpec{Storage: hyperv1.ManagedEtcdStorageSpec{
			Type:             hyperv1.PersistentVolumeEtcdStorage,
			PersistentVolume: volume,
		}},
	}
}

// services publishes the API server on a load balancer's address and the rest by Routes.
func services() []hyperv1.ServicePublishingStrategyMapping {
	by := func(service hyperv1.ServiceType, how hyperv1.PublishingStrategyType) hyperv1.ServicePublishingStrategyMapping {
		return hyperv1.ServicePublishingStrategyMapping{Service: service, ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: how}}
	}
	return []hyperv1.ServicePublishingStrategyMapping{
		by(hyperv1.APIServer, hyperv1.LoadBalancer),
		by(hyperv1.Ignition, hyperv1.Route),
		by(hyperv1.Konnectivity, hyperv1.Route),
		by(hyperv1.OAuthServer, hyperv1.Route),
	}
}

func nodePoolOf(o Options, in Inputs) *hyperv1.NodePool {
	return &hyperv1.NodePool{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "NodePool"},
		ObjectMeta: metav1.ObjectMeta{
			Name: o.Name, Namespace: o.Namespace,
			Labels: map[string]string{infraLabel: in.InfraID},
		},
		Spec: hyperv1.NodePoolSpec{
			Arch:                    hyperv1.ArchitectureAMD64,
			ClusterName:             o.Name,
			Management:              hyperv1.NodePoolManagement{UpgradeType: hyperv1.UpgradeTypeReplace},
			NodeDrainTimeout:        &metav1.Duration{},
			NodeVolumeDetachTimeout: &metav1.Duration{},
			Platform: hyperv1.NodePoolPlatform{
				Type: hyperv1.KubevirtPlatform,
				Kubevirt: &hyperv1.KubevirtNodePoolPlatform{
					AttachDefaultNetwork: ptr.To(true),
					Compute: &hyperv1.KubevirtCompute{
						Cores:  ptr.To(uint32(max(0, o.Cores))),
						Memory: ptr.To(resource.MustParse(o.Memory)),
					},
					NetworkInterfaceMultiQueue: ptr.To(hyperv1.MultiQueueEnable),
					RootVolume: &hyperv1.KubevirtRootVolume{KubevirtVolume: hyperv1.KubevirtVolume{
						Type: hyperv1.KubevirtVolumeTypePersistent,
						Persistent: &hyperv1.KubevirtPersistentVolume{
							Size: resource.NewQuantity(int64(o.RootVolumeSize)<<30, resource.BinarySI),
						},
					}},
				},
			},
			Release:  hyperv1.Release{Image: in.ReleaseImage},
			Replicas: ptr.To(o.NodePoolReplicas),
		},
	}
}
