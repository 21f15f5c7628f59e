package guest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"sync"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// Peer records the serving certificates of a hosted API server, even expired ones that were refused.
type Peer struct {
	mu           sync.Mutex
	certificates []*x509.Certificate
}

// ClientShowing returns the client of Reach, and a Peer that records the server's certificates.
func ClientShowing(r kube.Reader, access *adminkubeconfig.Access, of client.ObjectKey) (*kube.Client, *Peer, error) {
	peer := &Peer{}
	cfg, err := Config(r, access, of)
	if err != nil {
		return nil, nil, err
	}
	cfg.Timeout = Timeout
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return peerTrip{peer, next} })
	hosted, err := kube.New(cfg, transport.GuestOf(of.Namespace, of.Name))
	return hosted, peer, err
}

// Validity returns the validity period of the serving certificates. It returns false if the server sent no certificate
// that its CA signed.
func (p *Peer) Validity() (health.Validity, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var v health.Validity
	for _, c := range p.certificates {
		v = v.And(c)
	}
	return v, len(p.certificates) > 0
}

type peerTrip struct {
	peer *Peer
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t peerTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	var seen []*x509.Certificate
	var refused *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	switch {
	case err == nil && resp.TLS != nil:
		seen = resp.TLS.PeerCertificates
	case errors.As(err, &refused) && errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		seen = refused.UnverifiedCertificates
	}
	if len(seen) > 0 {
		t.peer.mu.Lock()
		t.peer.certificates = seen
		t.peer.mu.Unlock()
	}
	return resp, err
}
