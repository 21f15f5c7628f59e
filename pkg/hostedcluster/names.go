package hostedcluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
)

// The kinds of most findings.
const (
	// HostedClusterKind is the kind HostedCluster.
	HostedClusterKind = "HostedCluster"
	// NodePoolKind is the kind NodePool.
	NodePoolKind = "NodePool"
)

// InfraLabel marks all objects of one hosted cluster. The hypershift command line selects Secrets by it for deletion.
const InfraLabel = "hypershift.openshift.io/auto-created-for-infra"

// SafeToDeleteLabel has HyperShift's operator make the HostedCluster the owner of a Secret that has its InfraLabel too,
// so that the Secret goes with the cluster. Its value is "true" (v0.1.70, reconcileCLISecrets).
const SafeToDeleteLabel = "hypershift.openshift.io/safe-to-delete-with-cluster"

// defaultNamespace is the default namespace of hosted clusters, as with the hypershift command line.
const defaultNamespace = "clusters"

// Argument returns the name of a hosted cluster or node pool as command line arguments, with its namespace unless it is
// the default.
func Argument(namespace, name string) hint.Args {
	if namespace == defaultNamespace {
		return hint.Args{name}
	}
	return hint.Args{name, hint.Flag("namespace"), namespace}
}

// ControlPlaneNamespace returns the namespace of the control plane and the worker VMs. Dots in the name become dashes.
func ControlPlaneNamespace(namespace, name string) string {
	return namespace + "-" + strings.ReplaceAll(name, ".", "-")
}

// ControlPlaneLabel marks the namespaces of control planes. The operator also sets it on a namespace that existed
// before; that of 2022 writes it without a value.
const ControlPlaneLabel = "hypershift.openshift.io/hosted-control-plane"

// AssignmentsNamespace is the namespace on a hub of Open Cluster Management in which hcctl writes down which management
// cluster each hosted cluster is assigned to.
const AssignmentsNamespace = "hcctl-assignments"

// StoppedAnnotation is on a NodePool whose workers were stopped, and remembers the size it had (Size.Code): "3", or
// "2-5" where it scaled itself.
const StoppedAnnotation = "hcctl.dev/stopped-replicas"

// OperatorNamespace is where HyperShift's operator runs, in the Deployment "operator".
const OperatorNamespace = "hypershift"

// ServicesSuffix ends the name of a namespace for services, unless that is too long.
const ServicesSuffix = "-services"

// ServicesNamespace returns the namespace on the management cluster for the services of a hosted cluster that stand
// outside of it, such as its jump host. A name of more than 63 characters is cut, and ends with a hash of the whole.
func ServicesNamespace(namespace, name string) string {
	const hashDigits = 10
	whole := ControlPlaneNamespace(namespace, name) + ServicesSuffix
	if len(whole) <= validation.DNS1123LabelMaxLength {
		return whole
	}
	sum := sha256.Sum256([]byte(namespace + "/" + name))
	return strings.TrimRight(whole[:validation.DNS1123LabelMaxLength-hashDigits-1], "-") + "-" +
		hex.EncodeToString(sum[:])[:hashDigits]
}

// ReservedAnnotation is on a namespace for services that an administrator has made for the cluster of its
// ClusterAnnotation, with the roles of hcctl rbac --for tenant. hcctl uses it as it is.
const ReservedAnnotation = "hcctl.dev/reserved"

// PodSecurityLabel has the API server refuse pods that are not PodSecurityRestricted in a namespace for services.
const (
	PodSecurityLabel      = "pod-security.kubernetes.io/enforce"
	PodSecurityRestricted = "restricted"
)

// ServiceLabel is the label of the objects of a service, with its name. ServicesLabel is that of their namespace, with
// the UID of the HostedCluster.
const (
	ServiceLabel  = "hcctl.dev/service"
	ServicesLabel = "hcctl.dev/services-of"
)

// CertificateUntilAnnotation is on the Deployment of a service, with the end of its certificate in RFC 3339.
// CertificateFromAnnotation has the name of the Secret that a user gave it in, beside the HostedCluster.
const (
	CertificateUntilAnnotation = "hcctl.dev/certificate-until"
	CertificateFromAnnotation  = "hcctl.dev/certificate-from"
)

// TokenExpiresAnnotation is on Argo CD's Secret of a hosted cluster, with the end of its token in RFC 3339.
const TokenExpiresAnnotation = "hcctl.dev/token-expires" //nolint:gosec // the name of an annotation

// ArgoCDSecretName is the name of Argo CD's Secret for a hosted cluster. Names of namespaces have no dot, so no two
// clusters share one.
func ArgoCDSecretName(namespace, cluster string) string {
	return "hosted-cluster-" + namespace + "." + cluster
}

// The names of the Secrets are those of the hypershift command line.

// PullSecretName is the Secret with the cluster's pull secret.
func PullSecretName(cluster string) string { return cluster + "-pull-secret" }

// AdminKubeconfigName is the Secret with the admin kubeconfig, which HyperShift's operator writes.
func AdminKubeconfigName(cluster string) string { return cluster + "-admin-kubeconfig" }

// EncryptionKeyName is the Secret with the encryption key for Secrets in etcd.
func EncryptionKeyName(cluster string) string { return cluster + "-etcd-encryption-key" }

// SSHKeyName is the Secret with the SSH key of the nodes' user core.
func SSHKeyName(cluster string) string { return cluster + "-ssh-key" }

// InfraCredentialsName is the Secret with the kubeconfig of an external infrastructure cluster.
func InfraCredentialsName(cluster string) string { return cluster + "-infra-credentials" }

// IdentityClientName is the Secret with the secret of the cluster's client at its identity provider. The hypershift
// command line has no such Secret.
func IdentityClientName(cluster string) string { return cluster + "-identity-client" }

// IdentityCAName is the ConfigMap with the certificate authorities of that provider.
func IdentityCAName(cluster string) string { return cluster + "-identity-ca" }

// AuditWebhookName is the Secret with the audit webhook's kubeconfig. The hypershift command line has no such Secret.
func AuditWebhookName(cluster string) string { return cluster + "-audit-webhook" }

// TrustBundleName is the ConfigMap with the CA bundle. The hypershift command line uses one name for every cluster, so
// two clusters of a namespace overwrite each other's.
func TrustBundleName(cluster string) string { return cluster + "-user-ca-bundle" }

// PoolConfigName is the ConfigMap of the pool's i-th --config file, counted from 0.
func PoolConfigName(pool string, i int) string { return fmt.Sprintf("%s-config-%d", pool, i+1) }

// ControlPlaneKeys are the Secrets of a control plane that are its identity: its certificate authorities, the key of
// its service account tokens and kubeadmin's password. HyperShift makes each only where it is missing
// (control-plane-operator, manifests/pki.go; support/certs, ReconcileSelfSignedCA).
func ControlPlaneKeys() []string {
	return []string{
		"root-ca", "cluster-signer-ca", "etcd-signer", "etcd-metrics-signer", "kas-aggregator-client-signer",
		"kube-control-plane-signer", "kube-apiserver-to-kubelet-signer", "system-admin-signer", "hcco-signer",
		"kas-bootstrap-container-signer", "konnectivity-signer", "sa-signing-key", "kubeadmin-password",
	}
}

// EnvironmentLabel is the label with the name of the environment that each cluster of a Fleet with environments gets,
// unless the environment sets it itself.
const EnvironmentLabel = "env"
