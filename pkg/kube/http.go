package kube

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
)

// mostRedirects is how many are followed; API servers and the routers in front of them send one, if any.
const mostRedirects = 5

// HTTPClient is an HTTP client with the credentials of cfg, which stay with its server: client-go adds them to each request, and so to what a redirect
// leads to. A redirect to another host is therefore an error. It fails if cfg cannot be used.
func HTTPClient(cfg *rest.Config) (*http.Client, error) {
	shared, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	own := *shared
	own.CheckRedirect = sameServer
	return &own, nil
}

func sameServer(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	if next.URL.Host != first.Host || next.URL.Scheme != first.Scheme {
		return fmt.Errorf("it redirects to another server, %s://%s, which does not get its credentials", next.URL.Scheme, next.URL.Host)
	}
	if len(before) > mostRedirects {
		return fmt.Errorf("it redirects again and again")
	}
	return nil
}
