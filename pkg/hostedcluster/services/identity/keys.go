package identity

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	// authorityLife is the validity of Dex's certificate authority, certificateLife that of its certificate. Each is
	// renewed when a third of it is left.
	authorityLife   = 10 * 365 * 24 * time.Hour
	certificateLife = 365 * 24 * time.Hour
	renewAt         = 3
	// clockTolerance is the time by which clients' clocks may be behind.
	clockTolerance = time.Hour
)

// The keys of the Secret that hcctl generates for Dex, in addition to options.ClientSecretKey.
const (
	authorityCert = "ca.crt"
	authorityKey  = "ca.key"
)

// keys are what hcctl generates for Dex once and keeps: the authority of its certificate, and the secret of the
// console's client.
type keys struct {
	authority     tls.Certificate
	ca            []byte
	consoleSecret []byte
}

// newKeys generates keys, and returns the Secret that stores them.
func newKeys(now time.Time) (*corev1.Secret, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key for Dex's authority: %w", err)
	}
	return keysSecret(key, []byte(rand.Text()+rand.Text()), now)
}

// renewed returns the same keys with a new certificate of the authority. Certificates that the authority has signed
// stay valid.
func (k keys) renewed(now time.Time) (*corev1.Secret, error) {
	key, ok := k.authority.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("the key of Dex's authority is none that hcctl makes")
	}
	return keysSecret(key, k.consoleSecret, now)
}

func keysSecret(key *ecdsa.PrivateKey, client []byte, now time.Time) (*corev1.Secret, error) {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "hcctl Dex authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	cert, err := sign(template, template, key.Public(), key, now, authorityLife)
	if err != nil {
		return nil, err
	}
	private, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	s := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{
		authorityCert: cert, authorityKey: private, options.ClientSecretKey: client}}
	s.TypeMeta, s.ObjectMeta = service.Meta("Secret", "v1", keysName)
	return s, nil
}

func sign(template, parent *x509.Certificate, public, key any, now time.Time, life time.Duration) ([]byte, error) {
	const serialBits = 120
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), serialBits))
	if err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = serial, now.Add(-clockTolerance), now.Add(life)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return nil, fmt.Errorf("sign a certificate for Dex: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a key for Dex: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// parseKeys reads the Secret of newKeys.
func parseKeys(s *corev1.Secret) (keys, error) {
	pair, err := tls.X509KeyPair(s.Data[authorityCert], s.Data[authorityKey])
	switch {
	case err != nil:
		return keys{}, errors.New("its authority is none that hcctl makes")
	case !pair.Leaf.IsCA || len(s.Data[options.ClientSecretKey]) == 0:
		return keys{}, errors.New("it lacks an authority or a client's secret")
	}
	return keys{authority: pair, ca: s.Data[authorityCert], consoleSecret: s.Data[options.ClientSecretKey]}, nil
}

// due reports whether a certificate must be renewed.
func due(cert *x509.Certificate, now time.Time) bool {
	life := cert.NotAfter.Sub(cert.NotBefore)
	return now.Add(life/renewAt).After(cert.NotAfter) || now.Before(cert.NotBefore)
}

// issue creates a serving certificate for host.
func (k keys) issue(host string, now time.Time) (cert, private []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key for Dex: %w", err)
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "dex"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	cert, err = sign(template, k.authority.Leaf, key.Public(), k.authority.PrivateKey, now, certificateLife)
	if err != nil {
		return nil, nil, err
	}
	private, err = encodeKey(key)
	return cert, private, err
}

// usable reports whether the authority has signed a key pair for host, and it need not be renewed yet.
func (k keys) usable(cert, private []byte, host string, now time.Time) bool {
	pair, err := tls.X509KeyPair(cert, private)
	if err != nil || due(pair.Leaf, now) {
		return false
	}
	roots := x509.NewCertPool()
	roots.AddCert(k.authority.Leaf)
	_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: now})
	return err == nil
}

// readKeys reads the keys that hcctl generated for Dex. The finding is nil if they exist and are valid.
func readKeys(ctx context.Context, t service.Tenant, r kube.Reader) (keys, *step.Finding) {
	secret := &corev1.Secret{}
	at := client.ObjectKey{Namespace: t.Namespace(), Name: keysName}
	var k keys
	f := service.Look(ctx, r, "Secret", at, secret, step.Missing("it is not there"), func() *step.Finding {
		var f step.Finding
		if !owned(t, secret) {
			f = notOwned()
			return &f
		}
		var err error
		k, err = parseKeys(secret)
		switch {
		case err != nil:
			f = step.Broken("%v", err).
				WithHint("remove it, and hcctl makes a new one: oc delete secret %s -n %s", at.Name, at.Namespace)
		case due(k.authority.Leaf, t.Client.Now()):
			f = step.Missing("Dex's authority has to be renewed: it ends at %s",
				k.authority.Leaf.NotAfter.UTC().Format(time.DateOnly))
		default:
			return nil
		}
		return &f
	})
	return k, f
}

// keepKeys generates the keys unless they exist, and renews the authority in time.
func keepKeys(ctx context.Context, t service.Tenant) (step.Change, error) {
	change, err := t.MakeNamespace(ctx)
	if err != nil {
		return change, err
	}
	now := t.Client.Now()
	fresh, err := newKeys(now)
	if err != nil {
		return change, err
	}
	kept, err := t.Keep(ctx, dexName, fresh)
	change = step.Join(change, kept)
	if err != nil || kept == step.Created {
		return change, err
	}
	have := &corev1.Secret{}
	if err := t.Client.Get(ctx, client.ObjectKey{Namespace: t.Namespace(), Name: keysName}, have); err != nil {
		return change, fmt.Errorf("keys of Dex in Secret %s/%s: %w", t.Namespace(), keysName, err)
	}
	if !owned(t, have) {
		return change, nil // the check reports it
	}
	k, wrong := parseKeys(have)
	if wrong != nil || !due(k.authority.Leaf, now) {
		return change, nil //nolint:nilerr // the check says what is wrong
	}
	longer, err := k.renewed(now)
	if err != nil {
		return change, err
	}
	renewed, err := hostedcluster.Edit(ctx, t.Client, have, map[string]any{
		"data": map[string]any{authorityCert: longer.Data[authorityCert]}})
	return step.Join(change, renewed), err
}

// owned reports whether hcctl created an object for this cluster.
func owned(t service.Tenant, o client.Object) bool {
	return hostedcluster.WrittenByHcctl(o) && hostedcluster.MarkOf(o).UID == t.Cluster.UID
}

func notOwned() step.Finding {
	return step.Broken("hcctl did not make it for this cluster, and leaves it as it is").
		WithHint("remove it if nobody needs it")
}
