package creation

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

func TestSSHKey(t *testing.T) {
	pair, err := newSSHKey()
	if err != nil {
		t.Fatal(err)
	}
	given := optionstest.Named(func(o *options.Cluster) { o.SSHKey = options.File{Path: "id.pub", Content: pair.Public} })
	if err := optionstest.Refusal(given); err != nil {
		t.Errorf("the public half: %v", err)
	}
	block, _ := pem.Decode(pair.Private)
	if block == nil {
		t.Fatalf("the private half is not PEM")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	blob, err := base64.StdEncoding.DecodeString(strings.Fields(string(pair.Public))[1])
	if err != nil {
		t.Fatal(err)
	}
	// The modulus is last, after its length and a zero byte, as its highest bit is set.
	if !bytes.HasSuffix(blob, append([]byte{0, 0, 2, 1, 0}, key.N.Bytes()...)) {
		t.Error("the halves do not belong together")
	}
	if key.N.BitLen() != sshKeyBits {
		t.Errorf("%d bits", key.N.BitLen())
	}
}
