package faultproxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// certificateTime is the validity of a certificate. It is longer than any test.
const certificateTime = 24 * time.Hour

// NewCertificate replaces the proxy's certificate by another one of the same CA, and closes all connections.
func (p *Proxy) NewCertificate() error {
	if err := p.certify(p.ca); err != nil {
		return fmt.Errorf("fault proxy: %w", err)
	}
	p.Cut()
	return nil
}

// ForeignCertificate replaces the proxy's certificate by one of an unknown CA, and closes all connections.
func (p *Proxy) ForeignCertificate() error {
	ca, err := newAuthority("foreign-ca")
	if err == nil {
		err = p.certify(ca)
	}
	if err != nil {
		return fmt.Errorf("fault proxy: %w", err)
	}
	p.Cut()
	return nil
}

func (p *Proxy) certify(ca *authority) error {
	c, err := ca.issue()
	if err != nil {
		return err
	}
	p.serving.Store(c)
	return nil
}

// authority is a certificate authority.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := certificate(name)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert: cert, key: key}, err
}

// pem returns the CA's certificate for a kubeconfig.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// issue returns a serving certificate for 127.0.0.1.
func (a *authority) issue() (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := certificate("fault-proxy")
	if err != nil {
		return nil, err
	}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

func certificate(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(certificateTime),
	}, nil
}
