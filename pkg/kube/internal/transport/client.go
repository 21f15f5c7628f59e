package transport

import (
	"fmt"
	"net/http"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/redact"
)

// maxRedirects is how many are followed; API servers and the routers in front of them send one, if any.
const maxRedirects = 5

// HTTPClient is an HTTP client with the credentials of cfg, which stay with its server: client-go adds them to each
// request, and so to what a redirect leads to. A redirect to another host is therefore an error. What it sends as
// credentials is in no message afterwards. It fails if cfg cannot be used.
func HTTPClient(cfg *rest.Config) (*http.Client, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &credentialRecorder{next} })
	shared, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	boundHeaders(shared.Transport)
	own := *shared
	own.CheckRedirect = sameServer
	return &own, nil
}

// boundingHeaders is held while a transport is changed, which client-go shares among clients of the same configuration.
var boundingHeaders sync.Mutex

// boundHeaders bounds the headers of the transport below. Go's default transport, which is for plain HTTP, is left
// alone.
func boundHeaders(t http.RoundTripper) {
	boundingHeaders.Lock()
	defer boundingHeaders.Unlock()
	for t != http.DefaultTransport {
		switch below := t.(type) {
		case *http.Transport:
			if below.MaxResponseHeaderBytes == 0 {
				below.MaxResponseHeaderBytes = maxHeaderBytes
			}
			return
		case utilnet.RoundTripperWrapper:
			t = below.WrappedRoundTripper()
		default:
			return
		}
	}
}

func sameServer(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	if next.URL.Host != first.Host || next.URL.Scheme != first.Scheme {
		return fmt.Errorf("it redirects to another server, %s://%s, which does not get its credentials", next.URL.Scheme,
			next.URL.Host)
	}
	if len(before) > maxRedirects {
		return fmt.Errorf("it redirects again and again")
	}
	return nil
}

// credentialRecorder sees credentials where they are sent, wherever they come from: a kubeconfig, a file, a command. A
// server may repeat them in its answer.
type credentialRecorder struct{ next http.RoundTripper }

func (r *credentialRecorder) RoundTrip(req *http.Request) (*http.Response, error) {
	redact.RememberCredential(req.Header.Get("Authorization"))
	return r.next.RoundTrip(req)
}

// WrappedRoundTripper lets client-go find what lies below.
func (r *credentialRecorder) WrappedRoundTripper() http.RoundTripper { return r.next }
