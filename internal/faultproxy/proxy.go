// Package faultproxy is a proxy between hcctl and an API server that injects faults of networks and servers: failing,
// slow, interrupted and missing answers, closed connections, and changes of certificates and tokens.
//
// It is for tests. It listens only on loopback and requires its own token, because it uses the credentials of a user.
package faultproxy

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// headerTime is the maximum time for a client to send a request's headers.
const headerTime = 30 * time.Second

// Plan returns the fault for a request; n counts requests from 1. Several goroutines call it.
type Plan func(n int, r *http.Request) Fault

// Hook is called before or after a request, which waits until it returns. Several goroutines call it.
type Hook func(n int, r *http.Request)

// Proxy is a running proxy for one API server.
type Proxy struct {
	// Kubeconfig is the path of a kubeconfig for the proxy, with all permissions of the original kubeconfig.
	Kubeconfig string
	// Token is the token of that kubeconfig's user.
	Token string

	dir     string
	address string
	ca      *authority
	serving atomic.Pointer[tls.Certificate]
	server  *http.Server
	forward *httputil.ReverseProxy
	conns   connections

	mu            sync.Mutex
	listener      net.Listener
	plan          Plan
	before, after Hook
	tokens        map[string]bool
	requests      []Request
}

// Start runs a proxy for the server of kubeconfig on a free loopback port until ctx ends or Close is called. It writes
// to dir, an existing directory.
func Start(ctx context.Context, kubeconfig, dir string) (*Proxy, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("fault proxy: %w", err)
	}
	ca, err := newAuthority("fault-proxy-ca")
	if err != nil {
		return nil, fmt.Errorf("fault proxy: %w", err)
	}
	p := &Proxy{Token: rand.Text(), dir: dir, ca: ca, conns: connections{open: map[*conn]bool{}}}
	p.Accept(p.Token)
	if p.forward, err = p.reverse(cfg); err != nil {
		return nil, fmt.Errorf("fault proxy to %s: %w", cfg.Host, err)
	}
	if err := p.certify(ca); err != nil {
		return nil, fmt.Errorf("fault proxy: %w", err)
	}
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: headerTime, ConnContext: withConn,
		// Broken connections are the purpose of the proxy, so they are not logged.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		TLSConfig: &tls.Config{
			MinVersion:     tls.VersionTLS12,
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.serving.Load(), nil },
		},
	}
	p.address = "127.0.0.1:0"
	if err := p.Up(); err != nil {
		return nil, err
	}
	p.Kubeconfig = filepath.Join(dir, "kubeconfig")
	data, err := p.KubeconfigFor(WithToken(p.Token))
	if err == nil {
		err = os.WriteFile(p.Kubeconfig, data, 0o600) //nolint:forbidigo // for tests; no process reads it before
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("fault proxy: %w", err), p.Close())
	}
	context.AfterFunc(ctx, func() { _ = p.Close() })
	return p, nil
}

// reverse returns the reverse proxy to the server, with the credentials of its kubeconfig instead of the caller's.
func (p *Proxy) reverse(cfg *rest.Config) (*httputil.ReverseProxy, error) {
	target, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
			r.Out.Header.Del("Authorization")
		},
		FlushInterval: -1, // a watch gets each event immediately
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, _ error) {
			if r.Context().Err() != nil {
				panic(http.ErrAbortHandler) // the client canceled this request, not its connection
			}
			// Without the proxy the client would also get a connection that ends without an answer.
			drop(r)
		},
		ModifyResponse: func(r *http.Response) error {
			e := exchangeOf(r.Request)
			e.answered(r.StatusCode)
			return e.spoil(r)
		},
	}, nil
}

// Use sets the plan for further requests; nil means no faults.
func (p *Proxy) Use(plan Plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan = plan
}

// Before sets a hook that runs before a request is forwarded; it may be nil.
func (p *Proxy) Before(hook Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = hook
}

// After sets a hook that runs when the server has answered and nothing was sent to the client; it may be nil.
func (p *Proxy) After(hook Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = hook
}

// Accept sets the only accepted bearer tokens. Other requests get 401.
func (p *Proxy) Accept(tokens ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens = map[string]bool{}
	for _, t := range tokens {
		p.tokens[t] = true
	}
}

// URL returns the address of the proxy.
func (p *Proxy) URL() string { return "https://" + p.address }

// Close stops the proxy and closes its connections. It may be called twice.
func (p *Proxy) Close() error {
	err := p.Down()
	// Down has closed the listener, and the server may close it again.
	if closeErr := p.server.Close(); !errors.Is(closeErr, net.ErrClosed) {
		err = errors.Join(err, closeErr)
	}
	return err
}
