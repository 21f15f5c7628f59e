package hostedcluster

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"math/big"
)

// sshKeyBits is what the vendor's CLI makes.
const sshKeyBits = 4096

// SSHKeyPair is a key for the nodes' user core: the private half in PEM, the public one as a line of authorized_keys.
type SSHKeyPair struct{ Private, Public []byte }

func newSSHKey() (SSHKeyPair, error) {
	key, err := rsa.GenerateKey(rand.Reader, sshKeyBits)
	if err != nil {
		return SSHKeyPair{}, fmt.Errorf("make an SSH key: %w", err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	// RFC 4253, 6.6: string "ssh-rsa", mpint e, mpint n.
	blob := sshString(nil, []byte("ssh-rsa"))
	blob = sshString(blob, mpint(big.NewInt(int64(key.E))))
	blob = sshString(blob, mpint(key.N))
	return SSHKeyPair{Private: private, Public: []byte("ssh-rsa " + base64.StdEncoding.EncodeToString(blob) + "\n")}, nil
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

func (o Options) hasSSHKey() bool { return o.SSHKey.Given() || o.GenerateSSH }
