package registry

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hcctl/hcctl/sandbox/cluster/pki"
)

// Server is a registry with TLS on a free port of loopback.
type Server struct {
	// CA is the certificate authority of its certificate, PEM.
	CA []byte
	// Address is what it listens on.
	Address string

	store *store
}

// Start serves until ctx ends. Its certificate is valid for quay.io and registry.redhat.io. While outage is true, it
// breaks off the connections that it has.
func Start(ctx context.Context, outage *atomic.Bool) (*Server, error) {
	ca, err := pki.NewAuthority("sandbox-registry-ca")
	if err != nil {
		return nil, err
	}
	pair, err := ca.Issue("registry", nil, []string{Host, catalogHost, pki.Loopback})
	if err != nil {
		return nil, err
	}
	cert, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		return nil, fmt.Errorf("certificate of the registry: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(pki.Loopback, "0"))
	if err != nil {
		return nil, fmt.Errorf("listen for the registry: %w", err)
	}
	images := newStore()
	serve(ctx, tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12,
		Certificates: []tls.Certificate{cert}}), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if outage.Load() {
			panic(http.ErrAbortHandler)
		}
		images.ServeHTTP(w, r)
	}))
	return &Server{CA: ca.PEM, Address: listener.Addr().String(), store: images}, nil
}

// Tagged returns a release image by its tag, if it is named by the digest of one that was asked for by tag before.
// Every other image stays as it is.
func (s *Server) Tagged(image string) string { return s.store.tagged(image) }

// Serves reports whether the registry answers for a host.
func Serves(host string) bool { return host == Host || host == catalogHost }

// serve answers on a listener until ctx ends.
func serve(ctx context.Context, listener net.Listener, h http.Handler) {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		<-ctx.Done()
		_ = srv.Close()
	}()
	go func() {
		_ = srv.Serve(listener) // it returns after Close only
	}()
}
