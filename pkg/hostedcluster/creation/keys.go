package creation

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
)

const (
	// maxInfraName and infraSuffix keep an InfraID within the 27 characters the vendor's CLI allows.
	maxInfraName = 21
	infraSuffix  = 5
	// encryptionKeyLength is in bytes.
	encryptionKeyLength = 32
	// sshKeyBits is what the vendor's CLI makes.
	sshKeyBits = 4096
)

// newInfraID makes an InfraID as the vendor's CLI does: the name, cut short, and five random letters or digits.
func newInfraID(name string) string { return infraID(name, rand.Text()) }

// FixedInfraID is an InfraID of the same form that is always the same for a cluster, for manifests that are rendered
// again and again: nobody can change the InfraID of a cluster.
func FixedInfraID(namespace, name string) string {
	sum := sha256.Sum256([]byte(namespace + "/" + name))
	return infraID(name, base32.StdEncoding.EncodeToString(sum[:]))
}

func infraID(name, suffix string) string {
	if len(name) > maxInfraName {
		name = strings.TrimRight(name[:maxInfraName], "-")
	}
	return name + "-" + strings.ToLower(suffix)[:infraSuffix]
}

// newEncryptionKey makes the key that etcd's Secrets are encrypted with: 32 random bytes, as aescbc asks for.
func newEncryptionKey() []byte {
	key := make([]byte, encryptionKeyLength)
	_, _ = rand.Read(key) // crypto/rand never fails: it ends the program instead
	return key
}

func newSSHKey() (objects.SSHKeyPair, error) {
	key, err := rsa.GenerateKey(rand.Reader, sshKeyBits)
	if err != nil {
		return objects.SSHKeyPair{}, fmt.Errorf("make an SSH key: %w", err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	// RFC 4253, 6.6: string "ssh-rsa", mpint e, mpint n.
	blob := sshString(nil, []byte("ssh-rsa"))
	blob = sshString(blob, mpint(big.NewInt(int64(key.E))))
	blob = sshString(blob, mpint(key.N))
	return objects.SSHKeyPair{
		Private: private,
		Public:  []byte("ssh-rsa " + base64.StdEncoding.EncodeToString(blob) + "\n"),
	}, nil
}

func sshString(b, s []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s))) //nolint:gosec // a key has a few hundred bytes
	return append(b, s...)
}

// mpint is a positive number with a leading zero byte where its highest bit is set (RFC 4251, 5).
func mpint(n *big.Int) []byte {
	b := n.Bytes()
	if len(b) > 0 && b[0]&0x80 != 0 {
		b = append([]byte{0}, b...)
	}
	return b
}
