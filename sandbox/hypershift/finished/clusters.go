// Package finished makes finished hosted clusters: objects to list and read, which no operator works on.
package finished

import (
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/controlplane"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/hostedcluster"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/nodepool"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/profile"
	"github.com/hcctl/hcctl/sandbox/world"
)

// Namespace is the namespace of finished clusters.
const Namespace = "clusters"

// replicas is the number of nodes of each pool of a finished cluster.
const replicas = 2

// clusters makes finished hosted clusters. The code of the operator writes their status, as for other clusters.
type clusters struct {
	base    reconciler.Base
	payload release.Payload
	// all kubeconfigs have the same credentials, because no API server exists
	cert, key []byte
}

// Clusters returns n finished hosted clusters, kv-0001 and on, each with pools NodePools and a Secret with its
// kubeconfig, all labelled operator.FinishedLabel. They have no finalizer, which nobody would remove, and no control
// plane namespace, virtual machines or pull secret.
func Clusters(p profile.Profile, n, pools int) ([]client.Object, error) {
	b := reconciler.Base{Env: operator.Env{Profile: p}, Features: reconciler.FeaturesOf(p.MCE())}
	s := clusters{base: b}
	image := fmt.Sprintf("%s:%s-multi", release.Repository, p.OpenShift)
	if release.Minor(b.Features.Versions[0]) < release.Minor(p.OpenShift) {
		image = fmt.Sprintf("%s:%s.9-multi", release.Repository, b.Features.Versions[0])
	}
	var err error
	if s.payload, err = b.Registry().Lookup(image); err != nil {
		return nil, fmt.Errorf("release of the finished clusters: %w", err)
	}
	if s.cert, s.key, err = guest.SelfSigned("system:admin"); err != nil {
		return nil, err
	}
	objects := make([]client.Object, 0, n*(pools+2))
	for i := range n {
		of, err := s.cluster(i, pools)
		if err != nil {
			return nil, err
		}
		objects = append(objects, of...)
	}
	return objects, nil
}

// cluster makes the i-th cluster, its pools, and its kubeconfig.
func (s *clusters) cluster(i, pools int) ([]client.Object, error) {
	// One minute apart, the last one a day ago.
	born := metav1.NewTime(time.Now().Add(-24*time.Hour - time.Duration(i)*time.Minute).Truncate(time.Second))
	// No load balancer uses these loopback addresses, so a client is refused at once.
	address := fmt.Sprintf("127.3.%d.%d", i/250, 1+i%250)
	hc := s.hosted(fmt.Sprintf("kv-%04d", i+1), born)
	hcp := &hyperv1.HostedControlPlane{ObjectMeta: metav1.ObjectMeta{
		Namespace: metadata.ControlPlaneNamespace(hc.Namespace, hc.Name), Name: hc.Name, CreationTimestamp: born,
		Generation: 1,
	}}
	hostedcluster.FillSpec(&hcp.Spec, &hc.Spec)
	controlplane.DescribeFinished(s.base, hcp, controlplane.Finished{
		Payload: s.payload, Address: address, OAuthHost: routeHost("oauth", hcp.Namespace), Channel: hc.Spec.Channel,
		Nodes: pools * replicas,
	})
	hostedcluster.DescribeFinished(s.base.Features, hc, hcp, s.payload, routeHost("ignition-server", hcp.Namespace))
	for k := range hc.Status.Conditions {
		hc.Status.Conditions[k].LastTransitionTime = metav1.NewTime(born.Add(20 * time.Minute))
	}
	hc.Status.KubeConfig = &corev1.LocalObjectReference{Name: hc.Name + "-admin-kubeconfig"}
	hc.Status.KubeadminPassword = &corev1.LocalObjectReference{Name: hc.Name + "-kubeadmin-password"}
	secret, err := s.kubeconfig(hc, address)
	if err != nil {
		return nil, err
	}
	objects := []client.Object{hc, secret}
	for k := range pools {
		np, err := s.pool(hc, k)
		if err != nil {
			return nil, err
		}
		objects = append(objects, np)
	}
	return objects, nil
}

// hosted makes a HostedCluster as HyperShift's own CLI writes it, with the fields that the operator sets.
func (s *clusters) hosted(name string, born metav1.Time) *hyperv1.HostedCluster {
	published := func(service hyperv1.ServiceType,
		kind hyperv1.PublishingStrategyType) hyperv1.ServicePublishingStrategyMapping {
		return hyperv1.ServicePublishingStrategyMapping{Service: service,
			ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: kind}}
	}
	return &hyperv1.HostedCluster{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "HostedCluster"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: Namespace, Name: name, UID: uuid.NewUUID(), Generation: 3, CreationTimestamp: born,
			Labels:      map[string]string{operator.FinishedLabel: "true"},
			Annotations: map[string]string{hyperv1.ManagementPlatformAnnotation: "None"},
		},
		Spec: hyperv1.HostedClusterSpec{
			Release: hyperv1.Release{Image: s.payload.Image}, ClusterID: string(uuid.NewUUID()),
			InfraID: metadata.NewInfraID(name), IssuerURL: hostedcluster.IssuerURL,
			PullSecret: corev1.LocalObjectReference{Name: name + "-pull-secret"},
			SSHKey:     corev1.LocalObjectReference{Name: name + "-ssh-key"},
			DNS:        hyperv1.DNSSpec{BaseDomain: "apps." + world.BaseDomain},
			Networking: hyperv1.ClusterNetworking{
				NetworkType:    hyperv1.OVNKubernetes,
				ClusterNetwork: []hyperv1.ClusterNetworkEntry{{CIDR: network("10.132.0.0/14")}},
				ServiceNetwork: []hyperv1.ServiceNetworkEntry{{CIDR: network("172.31.0.0/16")}},
			},
			Platform: hyperv1.PlatformSpec{Type: hyperv1.KubevirtPlatform, Kubevirt: &hyperv1.KubevirtPlatformSpec{
				BaseDomainPassthrough: ptr.To(true), GenerateID: metadata.ShortHash(name, 10),
			}},
			ControllerAvailabilityPolicy: hyperv1.HighlyAvailable, InfrastructureAvailabilityPolicy: hyperv1.HighlyAvailable,
			Etcd: hyperv1.EtcdSpec{ManagementType: hyperv1.Managed, Managed: &hyperv1.ManagedEtcdSpec{
				Storage: hyperv1.ManagedEtcdStorageSpec{
					Type:             hyperv1.PersistentVolumeEtcdStorage,
					PersistentVolume: &hyperv1.PersistentVolumeEtcdStorageSpec{Size: ptr.To(resource.MustParse("8Gi"))},
				},
			}},
			SecretEncryption: &hyperv1.SecretEncryptionSpec{
				Type: hyperv1.AESCBC, AESCBC: &hyperv1.AESCBCSpec{ActiveKey: corev1.LocalObjectReference{Name: name +
					"-etcd-encryption-key"}},
			},
			Services: []hyperv1.ServicePublishingStrategyMapping{
				published(hyperv1.APIServer, hyperv1.LoadBalancer), published(hyperv1.Ignition, hyperv1.Route),
				published(hyperv1.Konnectivity, hyperv1.Route), published(hyperv1.OAuthServer, hyperv1.Route),
			},
		},
	}
}

// pool makes the k-th NodePool of a cluster. The first has the cluster's name, as with the CLI.
func (s *clusters) pool(hc *hyperv1.HostedCluster, k int) (*hyperv1.NodePool, error) {
	name := hc.Name
	if k > 0 {
		name = fmt.Sprintf("%s-%d", hc.Name, k+1)
	}
	np := &hyperv1.NodePool{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "NodePool"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: hc.Namespace, Name: name, UID: uuid.NewUUID(), Generation: 1, CreationTimestamp: hc.CreationTimestamp,
			Labels:          map[string]string{operator.FinishedLabel: "true"},
			OwnerReferences: []metav1.OwnerReference{owner(hc)},
		},
		Spec: hyperv1.NodePoolSpec{
			ClusterName: hc.Name, Release: hc.Spec.Release, Replicas: ptr.To[int32](replicas), Arch: hyperv1.ArchitectureAMD64,
			Management: hyperv1.NodePoolManagement{UpgradeType: hyperv1.UpgradeTypeReplace, Replace: &hyperv1.ReplaceUpgrade{
				Strategy: hyperv1.UpgradeStrategyRollingUpdate, RollingUpdate: &hyperv1.RollingUpdate{},
			}},
			Platform: hyperv1.NodePoolPlatform{Type: hyperv1.KubevirtPlatform, Kubevirt: &hyperv1.KubevirtNodePoolPlatform{
				Compute: &hyperv1.KubevirtCompute{Memory: ptr.To(resource.MustParse("8Gi")), Cores: ptr.To[uint32](2)},
				RootVolume: &hyperv1.KubevirtRootVolume{KubevirtVolume: hyperv1.KubevirtVolume{
					Type:       hyperv1.KubevirtVolumeTypePersistent,
					Persistent: &hyperv1.KubevirtPersistentVolume{Size: ptr.To(resource.MustParse("32Gi"))},
				}},
			}},
		},
	}
	if err := nodepool.DescribeFinished(s.base, np, hc, s.payload, replicas); err != nil {
		return nil, err
	}
	for i := range np.Status.Conditions {
		np.Status.Conditions[i].LastTransitionTime = metav1.NewTime(hc.CreationTimestamp.Add(20 * time.Minute))
	}
	return np, nil
}
