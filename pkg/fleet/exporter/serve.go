package exporter

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
)

// DefaultListen is the default of Server.Listen.
const DefaultListen = "127.0.0.1:9467"

const (
	// maxParallel limits the responses that are made at the same time; further requests get 503.
	maxParallel = 4
	// The default scrape timeout of Prometheus is ten seconds.
	readTimeout, writeTimeout, idleTimeout = 5 * time.Second, 30 * time.Second, 2 * time.Minute
	// shutdownTimeout bounds the requests in progress at the end.
	shutdownTimeout = 5 * time.Second
	// maxHeader limits the request headers, in bytes.
	maxHeader = 16 << 10
)

// Server configures where and how metrics are served.
type Server struct {
	// Listen is an address and a port. Other addresses than loopback need a certificate, or PlainHTTP.
	Listen string
	// Certificate and Key are PEM files. They are read again when they change. Without them the server uses
	// plain HTTP.
	Certificate, Key string
	// ClientCA is a PEM file. With it, the server answers only clients with a certificate that this CA has
	// signed.
	ClientCA string
	// PlainHTTP allows plain HTTP on addresses other than loopback.
	PlainHTTP bool
	// Hosts are further names for the header Host. IP addresses, localhost, the host of Listen and names of
	// Services in the cluster are always allowed.
	Hosts []string
}

// Validate checks the options. The errors name flags.
func (s *Server) Validate() error {
	host, port, err := net.SplitHostPort(s.Listen)
	switch {
	case err != nil || port == "":
		return fmt.Errorf("%s %q: not an address and a port; write it like %s", hint.Flag("listen"), s.Listen,
			DefaultListen)
	case (s.Certificate == "") != (s.Key == ""):
		return fmt.Errorf("%s and %s: give both or none", hint.Flag("tls-cert"), hint.Flag("tls-key"))
	case s.ClientCA != "" && s.Certificate == "":
		return fmt.Errorf("%s: only with %s and %s", hint.Flag("client-ca"), hint.Flag("tls-cert"), hint.Flag("tls-key"))
	case s.PlainHTTP && s.Certificate != "":
		return fmt.Errorf("%s: not with %s", hint.Flag("insecure-http"), hint.Flag("tls-cert"))
	case s.Certificate == "" && !s.PlainHTTP && !loopback(host):
		return fmt.Errorf("%s %q: others can reach it; give %s and %s, or %s", hint.Flag("listen"), s.Listen,
			hint.Flag("tls-cert"), hint.Flag("tls-key"), hint.Flag("insecure-http"))
	}
	return nil
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// answers reports whether the header Host names this exporter. It stops DNS rebinding: a web page can make its
// own name resolve to this machine, but cannot call it by an address or another name.
func (s *Server) answers(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	own, _, _ := net.SplitHostPort(s.Listen)
	return net.ParseIP(strings.Trim(name, "[]")) != nil || name == "localhost" || name == strings.ToLower(own) ||
		strings.HasSuffix(name, ".svc") || strings.HasSuffix(name, ".svc.cluster.local") ||
		slices.ContainsFunc(s.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// guard refuses requests for other hosts.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.answers(r.Host) {
			say(w, http.StatusMisdirectedRequest, fmt.Sprintf("not a name of this exporter: %s adds names",
				hint.Flag("allowed-hosts")))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Open starts to listen, and returns the URL of the metrics.
func (s *Server) Open(ctx context.Context) (net.Listener, string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return nil, "", fmt.Errorf("%s %s: %w", hint.Flag("listen"), s.Listen, err)
	}
	scheme := "http"
	if s.Certificate != "" {
		scheme = "https"
		if l, err = s.secured(l); err != nil {
			return nil, "", err
		}
	}
	return l, fmt.Sprintf("%s://%s/metrics", scheme, l.Addr()), nil
}

// Serve answers requests until ctx ends, and finishes those in progress. now returns the time. It closes the
// listener.
func (s *Server) Serve(ctx context.Context, l net.Listener, f *Fleet, now func() time.Time) error {
	server := &http.Server{Handler: s.guard(f.Handler(now)), ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(ending)
	if err != nil {
		_ = server.Close()
	}
	return nil
}

// Handler serves /metrics, /healthz (the process is alive) and /readyz (the metrics were read once).
func (f *Fleet) Handler(now func() time.Time) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-f.ready:
			say(w, http.StatusOK, "ok")
		default:
			say(w, http.StatusServiceUnavailable, "hosted clusters were not read yet")
		}
	})
	slots := make(chan struct{}, maxParallel)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-f.ready:
		default:
			say(w, http.StatusServiceUnavailable, "hosted clusters were not read yet")
			return
		}
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			say(w, http.StatusServiceUnavailable, "too many requests at once")
			return
		}
		f.answer(w, r, now())
	})
	return mux
}

func say(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text + "\n"))
}

// answer writes the metrics, compressed if the client accepts gzip.
func (f *Fleet) answer(w http.ResponseWriter, r *http.Request, now time.Time) {
	var body bytes.Buffer
	if err := f.Write(&body, now); err != nil {
		say(w, http.StatusInternalServerError, "the metrics cannot be written")
		return
	}
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if !takesGzip(r.Header.Values("Accept-Encoding")) {
		_, _ = w.Write(body.Bytes())
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	compressed := gzip.NewWriter(w)
	_, _ = compressed.Write(body.Bytes())
	_ = compressed.Close()
}

// takesGzip reports whether a header Accept-Encoding accepts gzip.
func takesGzip(accepted []string) bool {
	for part := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		name, quality, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if name == "gzip" && quality != "q=0" {
			return true
		}
	}
	return false
}
