package hostedcluster

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
)

// Waits lists every Wait, the shortest first.
func Waits() []Wait { return []Wait{WaitNone, WaitAPI, WaitNodes, WaitComplete} }

// Options describe one hosted cluster and its NodePool. Defaults fills in what a user need not say.
type Options struct {
	// Name is the HostedCluster's and the NodePool's; a DNS-1123 label.
	Name string
	// Namespace holds both. The control plane runs in "<Namespace>-<Name>".
	Namespace string
	// NodePoolReplicas is the number of worker VMs.
	NodePoolReplicas int32
	// Memory of one worker VM as a Kubernetes quantity, such as "8Gi".
	Memory string
	// Cores of one worker VM.
	Cores int32
	// RootVolumeSize of one worker VM in Gi.
	RootVolumeSize int32
	// PullSecret is the content of a dockerconfigjson. Empty means that of the management cluster's own
	// Secret openshift-config/pull-secret.
	PullSecret []byte
	// PullSecretFrom says where PullSecret came from, such as a path; it is used in messages only.
	PullSecretFrom string
	// ReleaseImage is the OCP release payload. Empty means ResolveRelease decides.
	ReleaseImage string
	// BaseDomain of the hosted cluster. Empty means its ingress passes through a wildcard Route of the management cluster.
	BaseDomain string
	// SSHKey holds public keys for the nodes' user core, in the form of an authorized_keys file. Empty means none.
	SSHKey []byte
	// SSHKeyFrom says where SSHKey came from; it is used in messages only.
	SSHKeyFrom string
	// EtcdStorageClass is the StorageClass of etcd's volumes. Empty means the default one.
	EtcdStorageClass string
	// Wait says how far the cluster is followed.
	Wait Wait
}

// Defaults are the options of a cluster of which only the name is given: two workers of 8Gi, 2 cores and 32Gi, followed to
// the end. The vendor's CLI has 4Gi of memory, too little for the default set of operators on two workers; 8Gi is the CRD's default.
func Defaults() Options {
	return Options{
		Namespace:        "clusters",
		NodePoolReplicas: 2,
		Memory:           "8Gi",
		Cores:            2,
		RootVolumeSize:   32,
		Wait:             WaitComplete,
	}
}

// ControlPlaneNamespace is where HyperShift runs the control plane and the worker VMs of the HostedCluster namespace/name: dots
// of the name become dashes.
func ControlPlaneNamespace(namespace, name string) string {
	return namespace + "-" + dashed(name)
}

// The names of the Secrets beside a HostedCluster are those the vendor's CLI gives them.

func pullSecretName(cluster string) string    { return cluster + "-pull-secret" }
func encryptionKeyName(cluster string) string { return cluster + "-etcd-encryption-key" }
func sshKeyName(cluster string) string        { return cluster + "-ssh-key" }
