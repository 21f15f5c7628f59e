package hypershift

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// door answers for a played guest at its load balancer's address: that it is ready, and to all else that it cannot. It is enough for who
// asks whether the API server can be reached.
type door struct {
	server    *http.Server
	cert, key []byte
}

// doorPatience bounds how long a client may take to ask.
const doorPatience = 10 * time.Second

func openDoor(address string) (*door, error) {
	bind, port := bindAddress(address)
	if port == 0 {
		return nil, fmt.Errorf("address %s is not this machine's", address)
	}
	cert, key, err := selfSigned("system:admin", net.ParseIP(address))
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("load the certificate of %s: %w", address, err)
	}
	l, err := tls.Listen("tcp", net.JoinHostPort(bind, strconv.Itoa(port)), &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	})
	if err != nil {
		return nil, fmt.Errorf("answer at %s: %w", address, err)
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/readyz", "/livez", "/healthz"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this hosted cluster is played in memory", http.StatusServiceUnavailable)
	})
	d := &door{server: &http.Server{Handler: mux, ReadHeaderTimeout: doorPatience, IdleTimeout: doorPatience}, cert: cert, key: key}
	go func() { _ = d.server.Serve(l) }() // it ends with close, or with the sandbox
	return d, nil
}

func (d *door) close() { _ = d.server.Close() }

// open lets a played guest answer; where that cannot be, the guest has failed and is tried again.
func (g *guest) open() {
	var err error
	if g.state.door, err = openDoor(g.address); err != nil {
		g.state, g.retry = guestState{phase: guestFailed, err: err}, time.Now().Add(guestRetry)
	}
}
