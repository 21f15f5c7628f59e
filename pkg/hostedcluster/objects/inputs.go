package objects

import "k8s.io/apimachinery/pkg/types"

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
	// PullSecret is the content of the dockerconfigjson.
	PullSecret []byte
	// EncryptionKey is used if there is none yet, and so is SSHKey with Options.GenerateSSH.
	EncryptionKey []byte
	SSHKey        SSHKeyPair
	// NodeAddress is that of a node of the management cluster, for node ports without an address.
	NodeAddress string
}

// SSHKeyPair is a key for the nodes' user core: the private half in PEM, the public one as a line of authorized_keys.
type SSHKeyPair struct{ Private, Public []byte }

// infraCredentialsKey is the key of the kubeconfig in the Secret of an external infrastructure cluster.
const infraCredentialsKey = "kubeconfig"
