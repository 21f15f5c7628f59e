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
	// maxInfraName and infraSuffix keep an InfraID within the 27 characters that the vendor's CLI allows.
	maxInfraName = 21
	infraSuffix  = 5
	// encryptionKeyLength is the length in bytes.
	encryptionKeyLength = 32
	// sshKeyBits is the key length of the vendor's CLI.
	sshKeyBits = 4096
)

// newInfraID returns an InfraID as the vendor's CLI does: the truncated name and five random characters.
func newInfraID(name string) string { return infraID(name, rand.Text()) }

// FixedInfraID returns an InfraID of the same form that never changes for a cluster. It is for manifests that are
// rendered repeatedly, because the InfraID of a cluster is immutable.
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

// newEncryptionKey returns a key for the Secrets in etcd: 32 random bytes, as aescbc requires.
func newEncryptionKey() []byte {
	key := make([]byte, encryptionKeyLength)
	_, _ = rand.Read(key) // crypto/rand never returns an error
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

// mpint encodes a positive number: a leading zero byte is added if the highest bit is set (RFC 4251, 5).
func mpint(n *big.Int) []byte {
	b := n.Bytes()
	if len(b) > 0 && b[0]&0x80 != 0 {
		b = append([]byte{0}, b...)
	}
	return b
}
