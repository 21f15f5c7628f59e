package registry

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hcctl/hcctl/sandbox/cluster/pki"
)

// dialTimeout bounds a connection to a server on loopback.
const dialTimeout = 5 * time.Second

// Answers of a Resolver: for a name that does not exist, and for a host that cannot be reached.
var (
	ErrNoHost      = errors.New("no such host")
	ErrUnreachable = errors.New("no route to host")
)

// Resolver returns the address of host:port. user is the name that a client gave to the proxy.
type Resolver func(user, host, port string) (address string, err error)

// Proxy is an HTTP proxy on loopback for CONNECT. It stands for the DNS that the vendor's programs have in a cluster: a
// program that runs here finds registries and Services under their real names.
type Proxy struct {
	address string
	resolve Resolver
}

// StartProxy serves until ctx ends.
func StartProxy(ctx context.Context, resolve Resolver) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(pki.Loopback, "0"))
	if err != nil {
		return nil, fmt.Errorf("listen for the proxy: %w", err)
	}
	p := &Proxy{address: listener.Addr().String(), resolve: resolve}
	serve(ctx, listener, p)
	return p, nil
}

// Env returns the environment variable of a program that uses the proxy under a name. It is in lower case: the
// operators copy HTTPS_PROXY in upper case into the objects that they write.
func (p *Proxy) Env(user string) string {
	u := url.URL{Scheme: "http", User: url.User(user), Host: p.address}
	return "https_proxy=" + u.String()
}

// ServeHTTP connects the client to the address of the name.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "only CONNECT", http.StatusMethodNotAllowed)
		return
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	address, err := p.resolve(userOf(r), host, port)
	if err != nil {
		http.Error(w, fmt.Sprintf("%s: %v", host, err), http.StatusBadGateway)
		return
	}
	server, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(r.Context(), "tcp", address)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer server.Close() //nolint:errcheck // both sides have ended
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, "cannot take the connection over", http.StatusInternalServerError)
		return
	}
	client, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer client.Close() //nolint:errcheck // both sides have ended
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	join(client, server)
}

// join copies both ways until both sides have ended.
func join(a, b net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		pipe(a, b)
	}()
	pipe(b, a)
	<-done
}

// pipe copies from src to dst, and tells dst the end. A broken side ends the other.
func pipe(dst, src net.Conn) {
	_, err := io.Copy(dst, src)
	half, ok := dst.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		_, _ = dst.Close(), src.Close()
	}
}

// userOf returns the user of Proxy-Authorization, or "".
func userOf(r *http.Request) string {
	encoded, _ := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return ""
	}
	user, _, _ := strings.Cut(string(raw), ":")
	return user
}
