package objects

import (
	"cmp"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube/metallb"
)

// Inputs are what Options leave open, resolved.
type Inputs struct {
	// InfraID ties everything of one cluster together; it never changes.
	InfraID string
	// UID of the HostedCluster; empty until it exists.
	UID types.UID
	// ReleaseImage is the release payload, and ReleaseFrom says where it was found.
	ReleaseImage, ReleaseFrom string
	// ReleaseVersion is its version, such as "4.20.3"; empty where nothing but the image says it.
	ReleaseVersion string
	// Adopts tells that the control plane's namespace is there before the HostedCluster, and stays.
	Adopts bool
	// PullSecret is the content of the dockerconfigjson.
	PullSecret []byte
	// EncryptionKey is used if there is none yet, and so is SSHKey with Options.GenerateSSH.
	EncryptionKey []byte
	SSHKey        SSHKeyPair
	// NodeAddress is that of a node of the management cluster, for node ports without an address.
	NodeAddress string
	// MetalLBNamespace is the one whose pools MetalLB reads; metallb-system if empty.
	MetalLBNamespace string
}

// MetalLB is the namespace of the cluster's address pool.
func (in Inputs) MetalLB() string { return cmp.Or(in.MetalLBNamespace, metallb.DefaultNamespace) }

// SSHKeyPair is a key for the nodes' user core: the private half in PEM, the public one as a line of authorized_keys.
type SSHKeyPair struct{ Private, Public []byte }

// infraCredentialsKey is the key of the kubeconfig in the Secret of an external infrastructure cluster.
const infraCredentialsKey = "kubeconfig"
