package exporter

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
)

// secured returns the listener with TLS. The first read of the files must succeed.
func (s *Server) secured(l net.Listener) (net.Listener, error) {
	pair := &keyPair{certificate: s.Certificate, key: s.Key}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair.get() }}
	_, err := pair.get()
	if err == nil && s.ClientCA != "" {
		config.ClientAuth = tls.RequireAndVerifyClientCert
		config.ClientCAs, err = authorities(s.ClientCA)
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return tls.NewListener(l, config), nil
}

func authorities(path string) (*x509.CertPool, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("%s: %w", hint.Flag("client-ca"), err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s %s: no certificate in PEM", hint.Flag("client-ca"), path)
	}
	return pool, nil
}

// keyPair is a certificate that is read again when its files have changed, for example after a renewal.
type keyPair struct {
	certificate, key string

	mu       sync.Mutex
	read     *tls.Certificate
	modified [2]time.Time
}

// get returns the certificate. If the files cannot be read any more, it returns the last one.
func (p *keyPair) get() (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	modified, err := p.times()
	if err == nil && (p.read == nil || modified != p.modified) {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(p.certificate, p.key); err == nil {
			p.read, p.modified = &pair, modified
		}
	}
	if p.read == nil {
		return nil, fmt.Errorf("%s %s, %s %s: %w", hint.Flag("tls-cert"), p.certificate, hint.Flag("tls-key"), p.key, err)
	}
	return p.read, nil
}

func (p *keyPair) times() (times [2]time.Time, err error) {
	for i, path := range []string{p.certificate, p.key} {
		info, err := os.Stat(path)
		if err != nil {
			return times, err
		}
		times[i] = info.ModTime()
	}
	return times, nil
}
