package hostedcluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
)

// Kinds that most findings are about.
const (
	// HostedClusterKind is the kind HostedCluster.
	HostedClusterKind = "HostedCluster"
	// NodePoolKind is the kind NodePool.
	NodePoolKind = "NodePool"
)

// InfraLabel is on all objects of a hosted cluster. The hypershift command line selects the Secrets to delete by it.
const InfraLabel = "hypershift.openshift.io/auto-created-for-infra"

// SafeToDeleteLabel makes HyperShift's operator set the HostedCluster as the owner of a Secret that also has
// InfraLabel, so that the Secret is deleted with the cluster. Its value is "true" (v0.1.70, reconcileCLISecrets).
const SafeToDeleteLabel = "hypershift.openshift.io/safe-to-delete-with-cluster"

// defaultNamespace is the default namespace of hosted clusters, as with the hypershift command line.
const defaultNamespace = "clusters"

// Argument returns the command line arguments for a hosted cluster or node pool: its name, and its namespace unless
// that is the default.
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

// ControlPlaneLabel is on the namespaces of control planes. The operator also sets it on a namespace that already
// existed; the operator of 2022 sets it without a value.
const ControlPlaneLabel = "hypershift.openshift.io/hosted-control-plane"

// AssignmentsNamespace is the namespace on an Open Cluster Management hub in which hcctl records the management cluster
// of each hosted cluster.
const AssignmentsNamespace = "hcctl-assignments"

// StoppedAnnotation is on a NodePool whose workers were stopped. It has the previous size (Size.Encode): "3", or "2-5"
// with autoscaling.
const StoppedAnnotation = "hcctl.dev/stopped-replicas"

// NodePoolAnnotation is on each Machine of Cluster API: the namespace and name of its NodePool (hypershift-operator,
// controllers/nodepool, v0.1.70 to v0.1.81).
const NodePoolAnnotation = "hypershift.openshift.io/nodePool"

// OperatorNamespace is the namespace of HyperShift's operator. Its Deployment is named "operator".
const OperatorNamespace = "hypershift"

// ServicesSuffix ends the name of a services namespace, unless the name is too long.
const ServicesSuffix = "-services"

// ServicesNamespace returns the namespace on the management cluster for services of a hosted cluster that run outside
// of it, such as its jump host. A name of more than 63 characters is cut, and ends with a hash of the whole name.
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

// ReservedAnnotation is on a services namespace that an administrator created for the cluster of its ClusterAnnotation,
// with the roles of hcctl rbac --for tenant. hcctl does not change that namespace.
const ReservedAnnotation = "hcctl.dev/reserved"

// PodSecurityLabel makes the API server reject pods in a services namespace that do not meet the PodSecurityRestricted
// level.
const (
	PodSecurityLabel      = "pod-security.kubernetes.io/enforce"
	PodSecurityRestricted = "restricted"
)

// ServiceLabel is on the objects of a service, with its name. ServicesLabel is on their namespace, with the UID of the
// HostedCluster.
const (
	ServiceLabel  = "hcctl.dev/service"
	ServicesLabel = "hcctl.dev/services-of"
)

// CertificateUntilAnnotation is on the Deployment of a service, with the end of its certificate in RFC 3339.
// CertificateFromAnnotation has the name of the user's Secret with the certificate, in the HostedCluster's namespace.
const (
	CertificateUntilAnnotation = "hcctl.dev/certificate-until"
	CertificateFromAnnotation  = "hcctl.dev/certificate-from"
)

// TokenExpiresAnnotation is on Argo CD's Secret of a hosted cluster, with the expiry of its token in RFC 3339.
const TokenExpiresAnnotation = "hcctl.dev/token-expires" //nolint:gosec // the name of an annotation

// ArgoCDSecretName returns the name of Argo CD's Secret for a hosted cluster. A namespace has no dot in its name, so no
// two clusters share a Secret.
func ArgoCDSecretName(namespace, cluster string) string {
	return "hosted-cluster-" + namespace + "." + cluster
}

// The Secrets are named as the hypershift command line names them.

// PullSecretName returns the name of the Secret with the cluster's pull secret.
func PullSecretName(cluster string) string { return cluster + "-pull-secret" }

// AdminKubeconfigName returns the name of the Secret with the admin kubeconfig, which HyperShift's operator writes.
func AdminKubeconfigName(cluster string) string { return cluster + "-admin-kubeconfig" }

// EncryptionKeyName returns the name of the Secret with the encryption key for Secrets in etcd.
func EncryptionKeyName(cluster string) string { return cluster + "-etcd-encryption-key" }

// SSHKeyName returns the name of the Secret with the SSH key of the nodes' user core.
func SSHKeyName(cluster string) string { return cluster + "-ssh-key" }

// InfraCredentialsName returns the name of the Secret with the kubeconfig of an external infrastructure cluster.
func InfraCredentialsName(cluster string) string { return cluster + "-infra-credentials" }

// IdentityClientName returns the name of the Secret with the client secret for the cluster's identity provider. The
// hypershift command line has no such Secret.
func IdentityClientName(cluster string) string { return cluster + "-identity-client" }

// IdentityCAName returns the name of the ConfigMap with the certificate authorities of the identity provider.
func IdentityCAName(cluster string) string { return cluster + "-identity-ca" }

// AuditWebhookName returns the name of the Secret with the audit webhook's kubeconfig. The hypershift command line has
// no such Secret.
func AuditWebhookName(cluster string) string { return cluster + "-audit-webhook" }

// TrustBundleName returns the name of the ConfigMap with the CA bundle. The hypershift command line uses one name for
// every cluster, so two clusters in a namespace overwrite each other's bundle.
func TrustBundleName(cluster string) string { return cluster + "-user-ca-bundle" }

// PoolConfigName returns the name of the ConfigMap of the pool's i-th --config file, counted from 0.
func PoolConfigName(pool string, i int) string { return fmt.Sprintf("%s-config-%d", pool, i+1) }

// ControlPlaneKeys lists the Secrets that are the identity of a control plane: its certificate authorities, its service
// account signing key and kubeadmin's password. HyperShift creates each only if it is missing (control-plane-operator,
// manifests/pki.go; support/certs, ReconcileSelfSignedCA).
func ControlPlaneKeys() []string {
	return []string{
		"root-ca", "cluster-signer-ca", "etcd-signer", "etcd-metrics-signer", "kas-aggregator-client-signer",
		"kube-control-plane-signer", "kube-apiserver-to-kubelet-signer", "system-admin-signer", "hcco-signer",
		"kas-bootstrap-container-signer", "konnectivity-signer", "sa-signing-key", "kubeadmin-password",
	}
}

// EnvironmentLabel has the name of the environment. Each cluster of a Fleet with environments gets it, unless the
// environment sets it itself.
const EnvironmentLabel = "env"
