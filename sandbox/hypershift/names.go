package hypershift

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	operatorNamespace = "hypershift"

	finalizer = "hypershift.openshift.io/finalizer"

	// clusterAnnotation names, as namespace/name, the HostedCluster an object belongs to.
	clusterAnnotation = "hypershift.openshift.io/cluster"
	// nodePoolAnnotation does the same for a NodePool.
	nodePoolAnnotation = "hypershift.openshift.io/nodePool"

	autoCreatedForInfraLabel = "hypershift.openshift.io/auto-created-for-infra"
	controlPlaneLabel        = "hypershift.openshift.io/hosted-control-plane"
	componentLabel           = "hypershift.openshift.io/control-plane-component"
	managedByLabel           = "hypershift.openshift.io/managed-by"
	releaseImageAnnotation   = "hypershift.openshift.io/release-image"

	kubeconfigKey         = "kubeconfig"
	adminKubeconfigSecret = "admin-kubeconfig"
	kubeadminSecret       = "kubeadmin-password"
	pullSecretName        = "pull-secret"
	pullSecretKey         = ".dockerconfigjson"

	apiPort = 6443
)

// controlPlaneNamespace is where the control plane of a HostedCluster lives. Dots of the name become dashes.
func controlPlaneNamespace(namespace, name string) string {
	return namespace + "-" + strings.ReplaceAll(name, ".", "-")
}

// clusterOf reads the annotation that names the HostedCluster an object belongs to.
func clusterOf(o client.Object) (types.NamespacedName, bool) {
	return splitKey(o.GetAnnotations()[clusterAnnotation])
}

func splitKey(s string) (types.NamespacedName, bool) {
	namespace, name, ok := strings.Cut(s, "/")
	if !ok || namespace == "" || name == "" {
		return types.NamespacedName{}, false
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, true
}

// newInfraID is the vendor's: the name, cut to 21 characters, and five random ones.
func newInfraID(name string) string {
	if len(name) > 21 {
		name = name[:21]
	}
	return strings.TrimRight(name, "-.") + "-" + rand.String(5)
}

// shortHash turns any string into n lower-case hexadecimal digits.
func shortHash(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:n]
}

func addTo(m *map[string]string, more map[string]string) {
	if *m == nil {
		*m = map[string]string{}
	}
	for k, v := range more {
		(*m)[k] = v
	}
}

// Faults that let the deletion of a hosted cluster hang. What is left has a finalizer that somebody real puts there, and
// the somebody is not there to take it off again.
const (
	// snapshotFinalizer is the snapshot controller's on a claim while a snapshot is taken of it.
	snapshotFinalizer = "snapshot.storage.kubernetes.io/pvc-as-source-protection"
	// backupFinalizer is that of a tool of the cluster's users.
	backupFinalizer = "backup.example.com/hold"
)

// Faults that let the deletion of a hosted cluster hang. What is left has a finalizer that somebody real puts there, and
// the somebody is not there to take it off again.
const (
	// balancerFinalizer is the service controller's on a Service whose load balancer is still there.
	balancerFinalizer = "service.kubernetes.io/load-balancer-cleanup"
)
