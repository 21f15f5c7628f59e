package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/hcctl/hcctl/internal/redact"
)

// IsKindMissing reports whether the API server does not serve the resource: its CRD is not registered (yet). The API
// server answers such a path with a plain 404 without a Status object.
func IsKindMissing(err error) bool {
	if meta.IsNoMatchError(err) {
		return true
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Reason != metav1.StatusReasonNotFound {
		return false
	}
	details := status.Status().Details
	return details == nil || slices.ContainsFunc(details.Causes,
		func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeUnexpectedServerResponse })
}

// ProxyError means that a proxy to the API server rejected the request.
type ProxyError struct {
	// Proxy is its host and port, Status its answer, such as "403 Forbidden", and Code the number in Status.
	Proxy, Status string
	Code          int
}

// Error returns a message with the proxy's host and status.
func (e *ProxyError) Error() string {
	return fmt.Sprintf("the proxy %s does not let it through: it answers %s", e.Proxy, e.Status)
}

// proxyAnswer returns an error for a proxy's negative answer to CONNECT. Go's own error has only the status text.
func proxyAnswer(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return &ProxyError{Proxy: proxy.Host, Status: redact.Message(answer.Status), Code: answer.StatusCode}
}

// IsProxy reports whether a proxy rejected the request or could not be reached.
func IsProxy(err error) bool {
	var refused *ProxyError
	var op *net.OpError
	return errors.As(err, &refused) || errors.As(err, &op) && (op.Op == "proxyconnect" || op.Op == "socks connect")
}

// IsUnanswered reports whether there was no complete answer: the server is down, restarting or unreachable.
func IsUnanswered(err error) bool {
	var proxy *ProxyError
	if errors.As(err, &proxy) {
		return proxy.Code >= http.StatusInternalServerError // any other status is a decision of the proxy
	}
	if isBroken(err) || utilnet.IsConnectionRefused(err) || utilnet.IsHTTP2ConnectionLost(err) ||
		errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	// An untrusted certificate stays untrusted. A file error is a net.Error, too, but a local one.
	var file *fs.PathError
	if IsUntrusted(err) || IsTooLarge(err) || errors.As(err, &file) {
		return false
	}
	var netErr net.Error
	return errors.As(err, &netErr)
}

// isBroken reports whether a connection or an answer was interrupted.
func isBroken(err error) bool {
	var broken *brokenError
	var stream http2.StreamError
	return isHTTP2Closed(err) || utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &broken) || errors.As(err, &stream)
}

// http2Closed has texts of untyped HTTP/2 errors about a connection that was closed during a request.
var http2Closed = []string{"http2: client conn", "http2: server sent GOAWAY",
	"http2: Transport received Server's graceful shutdown GOAWAY"}

func isHTTP2Closed(err error) bool {
	var status apierrors.APIStatus
	if err == nil || errors.As(err, &status) {
		return false // the server reports the failure of another connection
	}
	text := err.Error()
	return slices.ContainsFunc(http2Closed, func(begin string) bool { return strings.Contains(text, begin) })
}

// IsUntrusted reports whether the server's certificate was rejected: unknown CA, wrong name, or outside its validity.
func IsUntrusted(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate)
}

// Host returns the scheme and host of a URL, for messages.
func Host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return redact.Message(raw)
	}
	return u.Scheme + "://" + u.Host
}
