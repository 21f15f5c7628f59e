package transport

import (
	"fmt"
	"net/http"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/redact"
)

// maxRedirects is the maximum number of redirects. API servers and the routers in front of them send at most one.
const maxRedirects = 5

// HTTPClient returns an HTTP client with the credentials of cfg. It fails if cfg is invalid.
//
// client-go adds the credentials to every request, redirects included, so a redirect to another host is an error.
// redact removes the credentials from all later messages.
func HTTPClient(cfg *rest.Config) (*http.Client, error) {
	cfg = rest.CopyConfig(cfg)
	original := rest.CopyConfig(cfg)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return &credentialRecorder{&certificateExplainer{next, original}}
	})
	shared, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	setUp(shared.Transport)
	checked := *shared
	checked.CheckRedirect = sameServer
	return &checked, nil
}

// setUpMutex protects changes of a transport, because clients of the same configuration share it.
var setUpMutex sync.Mutex

// setUp limits the response headers of the innermost transport, and makes it report rejections of a proxy. It does not
// change Go's default transport, which plain HTTP uses.
func setUp(t http.RoundTripper) {
	setUpMutex.Lock()
	defer setUpMutex.Unlock()
	for t != http.DefaultTransport {
		switch below := t.(type) {
		case *http.Transport:
			if below.MaxResponseHeaderBytes == 0 {
				below.MaxResponseHeaderBytes = maxHeaderBytes
			}
			if below.OnProxyConnectResponse == nil {
				below.OnProxyConnectResponse = proxyAnswer
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

// credentialRecorder makes redact remember all credentials that are sent, because a server may repeat them.
type credentialRecorder struct{ next http.RoundTripper }

func (r *credentialRecorder) RoundTrip(req *http.Request) (*http.Response, error) {
	redact.RememberCredential(req.Header.Get("Authorization"))
	return r.next.RoundTrip(req)
}

// WrappedRoundTripper returns the inner transport, for client-go.
func (r *credentialRecorder) WrappedRoundTripper() http.RoundTripper { return r.next }
