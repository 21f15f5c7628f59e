package jumphost

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// keyType is the type whose private key every OpenSSH can read in OpenSSL's format, even in FIPS mode.
const (
	keyType  = "ecdsa-sha2-nistp256"
	keyCurve = "nistp256"
)

// The keys of the Secret with the host key.
const (
	privateKey = "ssh_host_ecdsa_key"
	publicKey  = "ssh_host_ecdsa_key.pub"
)

// newHostKey returns a Secret with a new host key.
func newHostKey() (*corev1.Secret, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a host key: %w", err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("make a host key: %w", err)
	}
	public, err := key.PublicKey.ECDH()
	if err != nil {
		return nil, fmt.Errorf("make a host key: %w", err)
	}
	// RFC 5656, 3.1: the type, the curve, the point.
	var blob []byte
	for _, part := range [][]byte{[]byte(keyType), []byte(keyCurve), public.Bytes()} {
		blob = binary.BigEndian.AppendUint32(blob, uint32(len(part))) //nolint:gosec // at most 65 bytes
		blob = append(blob, part...)
	}
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: hostKeySecret},
		Type:       corev1.SecretTypeOpaque,
		Data: map[string][]byte{
			privateKey: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
			publicKey:  []byte(keyType + " " + base64.StdEncoding.EncodeToString(blob)),
		},
	}, nil
}

// hostKey returns the public host key.
func hostKey(ctx context.Context, t service.Tenant, r kube.Reader) (string, *step.Finding) {
	secret := &corev1.Secret{}
	at := client.ObjectKey{Namespace: t.Namespace(), Name: hostKeySecret}
	f := service.Look(ctx, r, "Secret", at, secret, step.Missing("it is not there"), func() *step.Finding {
		if owned(t, secret) && len(secret.Data[privateKey]) > 0 && fingerprint(string(secret.Data[publicKey])) != "" {
			return nil
		}
		f := step.Broken("it is not the host key that hcctl made").
			WithHint("remove it, and hcctl makes a new one: oc delete secret %s -n %s", at.Name, at.Namespace)
		return &f
	})
	if f != nil {
		return "", f
	}
	return string(secret.Data[publicKey]), nil
}

// fingerprint returns the fingerprint of a public key in the format of ssh-keygen, or "" if it is no public key.
func fingerprint(public string) string {
	const prefix = keyType + " "
	if len(public) <= len(prefix) || public[:len(prefix)] != prefix {
		return ""
	}
	blob, err := base64.StdEncoding.DecodeString(public[len(prefix):])
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}
