package faultproxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Up starts to listen, after Down at the same address. It does nothing if the proxy listens already.
func (p *Proxy) Up() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return nil
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", p.address)
	if err != nil {
		return fmt.Errorf("fault proxy: %w", err)
	}
	p.address, p.listener = l.Addr().String(), l
	go func() { _ = p.server.ServeTLS(&listener{Listener: l, conns: &p.conns}, "", "") }()
	return nil
}

// Down stops listening and closes all connections. It does nothing if the proxy is down.
func (p *Proxy) Down() error {
	p.mu.Lock()
	l := p.listener
	p.listener = nil
	p.mu.Unlock()
	var err error
	if l != nil {
		err = l.Close()
	}
	if errors.Is(err, net.ErrClosed) {
		err = nil // Close was called concurrently
	}
	p.Cut()
	return err
}

// Cut closes all connections. Clients may open new ones.
func (p *Proxy) Cut() {
	for _, c := range p.conns.all() {
		_ = c.Close()
	}
}

// Freeze makes all open connections half-open, as if a firewall had dropped its state: they stay open, but transfer
// nothing. New connections work.
func (p *Proxy) Freeze() {
	for _, c := range p.conns.all() {
		c.frozen.Store(true)
	}
}

// connections are the open connections.
type connections struct {
	mu   sync.Mutex
	open map[*conn]bool
}

func (cs *connections) all() []*conn {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var out []*conn
	for c := range cs.open {
		out = append(out, c)
	}
	return out
}

// listener records the connections that it accepts.
type listener struct {
	net.Listener
	conns *connections
}

func (l *listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, conns: l.conns}
	l.conns.mu.Lock()
	defer l.conns.mu.Unlock()
	l.conns.open[c] = true
	return c, nil
}

// conn is a client's connection, below TLS.
type conn struct {
	net.Conn
	conns  *connections
	frozen atomic.Bool
}

// Read discards what a frozen connection receives.
func (c *conn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.frozen.Load() {
			return n, err
		}
	}
}

func (c *conn) Write(b []byte) (int, error) {
	if c.frozen.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *conn) Close() error {
	c.conns.mu.Lock()
	delete(c.conns.open, c)
	c.conns.mu.Unlock()
	return c.Conn.Close()
}

type connKey struct{}

// withConn stores the connection of a request in its context.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// drop closes the connection of a request, with all other requests on it, and ends the request's handler.
func drop(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*conn); ok {
		_ = c.Close()
	}
	panic(http.ErrAbortHandler)
}

var errSpoiled = errors.New("spoiled on purpose")
