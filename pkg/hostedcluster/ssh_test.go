package hostedcluster

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"
)

func TestSSHKey(t *testing.T) {
	pair, err := newSSHKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkPublicKeys(pair.Public); err != nil {
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

func TestRenderWithWhatOnlyAServerKnows(t *testing.T) {
	for flags, want := range map[string]string{
		"--metallb-pool tenants":                 `--metallb-pool "tenants": not with --render`,
		"--service-publishing-strategy NodePort": `--api-server-address: needed with --render for node ports`,
	} {
		_, err := Render(with(t, flags+" --release-image registry.example/ocp-release:4.20.1-multi"), false)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v", flags, err)
		}
	}
}
