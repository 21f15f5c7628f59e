package hostedcluster

import (
	"fmt"
	"strings"
)

// The kinds that most findings are about.
const (
	// HostedClusterKind is the kind HostedCluster.
	HostedClusterKind = "HostedCluster"
	// NodePoolKind is the kind NodePool.
	NodePoolKind = "NodePool"
)

// InfraLabel marks everything made for one hosted cluster; the vendor's CLI selects by it when it deletes Secrets.
const InfraLabel = "hypershift.openshift.io/auto-created-for-infra"

// defaultNamespace is where hosted clusters are unless said otherwise, as with the vendor's CLI.
const defaultNamespace = "clusters"

// Argument is how a command line names a hosted cluster or node pool: with its namespace unless it is the default one.
func Argument(namespace, name string) string {
	if namespace == defaultNamespace {
		return name
	}
	return name + " --namespace " + namespace
}

// ControlPlaneNamespace is where HyperShift runs the control plane and the worker VMs of the HostedCluster
// namespace/name: dots of the name become dashes.
func ControlPlaneNamespace(namespace, name string) string {
	return namespace + "-" + strings.ReplaceAll(name, ".", "-")
}

// The names of the Secrets beside a HostedCluster are those the vendor's CLI gives them.

// PullSecretName is the Secret with the cluster's pull secret.
func PullSecretName(cluster string) string { return cluster + "-pull-secret" }

// EncryptionKeyName is the Secret with the key that etcd's Secrets are encrypted with.
func EncryptionKeyName(cluster string) string { return cluster + "-etcd-encryption-key" }

// SSHKeyName is the Secret with the SSH key of the nodes' user core.
func SSHKeyName(cluster string) string { return cluster + "-ssh-key" }

// InfraCredentialsName is the Secret with the kubeconfig of an external infrastructure cluster.
func InfraCredentialsName(cluster string) string { return cluster + "-infra-credentials" }

// AuditWebhookName is the Secret with the audit webhook's kubeconfig. The vendor's CLI has no such Secret.
func AuditWebhookName(cluster string) string { return cluster + "-audit-webhook" }

// TrustBundleName is the ConfigMap with the CA bundle. The vendor's CLI calls every cluster's user-ca-bundle, so that
// two clusters of a namespace overwrite each other's.
func TrustBundleName(cluster string) string { return cluster + "-user-ca-bundle" }

// PoolConfigName is the ConfigMap of the pool's i-th file of --config, counted from 0.
func PoolConfigName(pool string, i int) string { return fmt.Sprintf("%s-config-%d", pool, i+1) }
