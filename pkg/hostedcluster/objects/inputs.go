package objects

import (
	"cmp"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube/metallb"
)

// Inputs are values that the options leave open and create resolves.
type Inputs struct {
	// InfraID identifies all objects of one cluster. It never changes.
	InfraID string
	// UID of the HostedCluster; empty until it exists.
	UID types.UID
	// ReleaseImage is the release payload. ReleaseFrom is where it was found.
	ReleaseImage, ReleaseFrom string
	// ReleaseVersion is the version, such as "4.20.3"; empty if only the image is known.
	ReleaseVersion string
	// Adopts is set if the control plane's namespace exists before the HostedCluster, and must stay after it.
	Adopts bool
	// PullSecret is the content of the dockerconfigjson.
	PullSecret []byte
	// EncryptionKey and, with GenerateSSH, SSHKey are used if their Secrets do not exist yet.
	EncryptionKey []byte
	SSHKey        SSHKeyPair
	// NodeAddress is the address of a management cluster's node, for node ports without an address.
	NodeAddress string
	// MetalLBNamespace is the namespace in which MetalLB reads pools; the default is metallb-system.
	MetalLBNamespace string
}

// MetalLB returns the namespace of the cluster's address pool.
func (in Inputs) MetalLB() string { return cmp.Or(in.MetalLBNamespace, metallb.DefaultNamespace) }

// SSHKeyPair is a key for the nodes' user core: the private key in PEM, the public key as a line of authorized_keys.
type SSHKeyPair struct{ Private, Public []byte }

// infraCredentialsKey is the key of the kubeconfig in the Secret of an external infrastructure cluster.
const infraCredentialsKey = "kubeconfig"
