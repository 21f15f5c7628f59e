package kubetest

import (
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

// Direct returns a connection to the server without a network, for testing/synctest with its virtual time.
func (s *Server) Direct() *rest.Config { return Together(s) }

// Together returns a connection to servers of several kinds as one API server, without a network.
func Together(servers ...*Server) *rest.Config {
	return Connect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, s := range servers {
			if s.Serves(r) {
				s.ServeHTTP(w, r)
				return
			}
		}
		http.Error(w, "404 page not found", http.StatusNotFound)
	}))
}

// Connect returns a connection to a handler, without a network.
func Connect(handler http.Handler) *rest.Config {
	return &rest.Config{Host: "http://direct.test", Transport: direct{handler}}
}

type direct struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	out, in := io.Pipe()
	answer := &answer{header: http.Header{}, body: in, begun: make(chan int, 1)}
	go func() {
		d.handler.ServeHTTP(answer, r)
		answer.WriteHeader(http.StatusOK)
		_ = in.Close()
	}()
	select {
	case code := <-answer.begun:
		return &http.Response{
			StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: answer.header.Clone(), Body: out, ContentLength: -1, Request: r,
		}, nil
	case <-r.Context().Done():
		_ = out.Close()
		return nil, r.Context().Err()
	}
}

// answer is a ResponseWriter whose body is read while it is written.
type answer struct {
	header http.Header
	body   io.Writer
	begun  chan int
	wrote  bool
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	if !a.wrote {
		a.wrote = true
		a.begun <- code
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush implements http.Flusher. Nothing is buffered.
func (*answer) Flush() {}
