// Package metadata has the names, labels, annotations and finalizers of the objects that HyperShift writes.
package metadata

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// OperatorNamespace is the namespace of the HyperShift operator.
	OperatorNamespace = "hypershift"

	// Finalizer is on every object whose deletion HyperShift handles.
	Finalizer = "hypershift.openshift.io/finalizer"

	// ClusterAnnotation names, as namespace/name, the HostedCluster an object belongs to.
	ClusterAnnotation = "hypershift.openshift.io/cluster"
	// NodePoolAnnotation does the same for a NodePool.
	NodePoolAnnotation = "hypershift.openshift.io/nodePool"
)

// Labels and annotations that name the owner of an object.
const (
	SafeToDeleteLabel        = "hypershift.openshift.io/safe-to-delete-with-cluster"
	ReferencedPrefix         = "referenced-resource.hypershift.openshift.io/"
	AutoCreatedForInfraLabel = "hypershift.openshift.io/auto-created-for-infra"
	ControlPlaneLabel        = "hypershift.openshift.io/hosted-control-plane"
	ComponentLabel           = "hypershift.openshift.io/control-plane-component"
	ManagedByLabel           = "hypershift.openshift.io/managed-by"
	ClusterNameLabel         = "cluster.x-k8s.io/cluster-name"
	BalanceAnnotation        = "haproxy.router.openshift.io/balance"
	ReleaseImageAnnotation   = "hypershift.openshift.io/release-image"
)

// Names of Secrets, and their keys.
const (
	KubeconfigKey         = "kubeconfig"
	AdminKubeconfigSecret = "admin-kubeconfig"
	KubeadminSecret       = "kubeadmin-password"
	PullSecretName        = "pull-secret"
	PullSecretKey         = ".dockerconfigjson"
)

// APIPort is where the API servers of hosted clusters listen.
const APIPort = 6443

// ControlPlaneNamespace returns the namespace of a HostedCluster's control plane. Dots of the name become dashes.
func ControlPlaneNamespace(namespace, name string) string {
	return namespace + "-" + strings.ReplaceAll(name, ".", "-")
}

// ClusterOf reads the annotation with the HostedCluster of an object.
func ClusterOf(o client.Object) (types.NamespacedName, bool) {
	return SplitKey(o.GetAnnotations()[ClusterAnnotation])
}

// SplitKey reads namespace/name.
func SplitKey(s string) (types.NamespacedName, bool) {
	namespace, name, ok := strings.Cut(s, "/")
	if !ok || namespace == "" || name == "" {
		return types.NamespacedName{}, false
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, true
}

// NewInfraID makes an ID like the vendor's: the name, cut to 21 characters, and five random ones.
func NewInfraID(name string) string {
	if len(name) > 21 {
		name = name[:21]
	}
	return strings.TrimRight(name, "-.") + "-" + rand.String(5)
}

// ShortHash turns any string into n lower-case hexadecimal digits.
func ShortHash(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:n]
}

// Add adds labels or annotations to a map that may be nil.
func Add(m *map[string]string, more map[string]string) {
	if *m == nil {
		*m = map[string]string{}
	}
	for k, v := range more {
		(*m)[k] = v
	}
}

// Finalizers of faults that block the deletion of a hosted cluster. Real controllers set them, but none of these runs
// here to remove them.
const (
	// SnapshotFinalizer is the snapshot controller's, on a claim that is the source of a snapshot.
	SnapshotFinalizer = "snapshot.storage.kubernetes.io/pvc-as-source-protection"
	// BackupFinalizer is that of a user's backup tool.
	BackupFinalizer = "backup.example.com/hold"
	// BalancerFinalizer is the service controller's, on a Service whose load balancer still exists.
	BalancerFinalizer = "service.kubernetes.io/load-balancer-cleanup"
)
