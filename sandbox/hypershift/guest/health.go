package guest

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// healthEndpoint answers health checks at the endpoint of a guest in memory. It answers every other
// request with 503.
type healthEndpoint struct {
	server *http.Server
}

// healthTimeout bounds the time of a client's request.
const healthTimeout = 10 * time.Second

func startHealthEndpoint(at Endpoint, own keyPair) (*healthEndpoint, error) {
	bind, port := at.bind()
	if port == 0 {
		return nil, fmt.Errorf("address %s is not this machine's", at.Address)
	}
	pair, err := tls.X509KeyPair(own.cert, own.key)
	if err != nil {
		return nil, fmt.Errorf("load the certificate of %s: %w", at, err)
	}
	l, err := tls.Listen("tcp", net.JoinHostPort(bind, strconv.Itoa(port)), &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	})
	if err != nil {
		return nil, fmt.Errorf("answer at %s: %w", at, err)
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/readyz", "/livez", "/healthz"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this hosted cluster is played in memory", http.StatusServiceUnavailable)
	})
	d := &healthEndpoint{server: &http.Server{Handler: mux, ReadHeaderTimeout: healthTimeout, IdleTimeout: healthTimeout}}
	go func() { _ = d.server.Serve(l) }() // it ends with close, or with the sandbox
	return d, nil
}

func (d *healthEndpoint) close() { _ = d.server.Close() }

// answerHealth starts the health endpoint of a guest in memory unless there is one. The caller holds the lock.
func (g *Servers) answerHealth(namespace string, s *server) error {
	if !g.HealthEndpoints || s.state.Health != nil {
		return nil
	}
	own, err := g.keyPair(namespace, s.at)
	if err != nil {
		return err
	}
	s.startHealth(own)
	return nil
}

// startHealth starts the health endpoint of a guest in memory. An error is a failed start of the guest, which is
// retried.
func (g *server) startHealth(own keyPair) {
	var err error
	if g.state.Health, err = startHealthEndpoint(g.at, own); err != nil {
		g.state, g.retry = State{Phase: Failed, err: err}, time.Now().Add(retryDelay)
	}
}
