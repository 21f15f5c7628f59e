package guest

import (
	"crypto/tls"
	"crypto/x509"
	"net"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// keyPair is the one certificate of a guest: its API server serves with it, and its administrator logs in with it.
type keyPair struct{ cert, key []byte }

func (k keyPair) serving() operator.ServingCerts {
	return operator.ServingCerts{Cert: k.cert, Key: k.key, CA: k.cert, InternalCert: k.cert, InternalKey: k.key,
		ClientCA: k.cert}
}

// Kubeconfig returns the administrator's kubeconfig of a guest, which names the endpoint. It is there before its API
// server, as in reality.
func (g *Servers) Kubeconfig(namespace string, at Endpoint) ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if got, ok := g.running[namespace]; ok && got.state.Handle != nil && !at.local() {
		return got.state.Handle.Kubeconfig, nil // it names the port that the API server has found
	}
	own, err := g.keyPair(namespace, at)
	if err != nil {
		return nil, err
	}
	return Kubeconfig(at, own.cert, own.key)
}

// keyPair makes the certificate of a guest once for each of its addresses. The caller holds the lock.
func (g *Servers) keyPair(namespace string, at Endpoint) (keyPair, error) {
	id := namespace + " " + at.Address
	if own, ok := g.keys[id]; ok {
		return own, nil
	}
	cert, key, err := selfSigned("system:admin", at.Host, []net.IP{net.ParseIP(at.Address), net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return keyPair{}, err
	}
	g.keys[id] = keyPair{cert, key}
	return g.keys[id], nil
}

// Serves reports whether there are guests with an API server.
func (g *Servers) Serves() bool { return g.limit > 0 }

// KeyPair returns the certificate and the key of a guest.
func (g *Servers) KeyPair(namespace string, at Endpoint) (cert, key []byte, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	own, err := g.keyPair(namespace, at)
	return own.cert, own.key, err
}

// Adopt has a guest use a certificate and a key from before. It returns false if they are not of this address.
func (g *Servers) Adopt(namespace, address string, cert, key []byte) bool {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return false
	}
	if leaf, err := x509.ParseCertificate(pair.Certificate[0]); err != nil || leaf.VerifyHostname(address) != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keys[namespace+" "+address] = keyPair{cert, key}
	return true
}
