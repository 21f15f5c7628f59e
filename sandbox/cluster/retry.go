package cluster

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// retryTime bounds the retries of one request. A restart of the API server takes a minute on a busy machine.
const retryTime = 3 * time.Minute

// retrying returns a copy of the config whose clients send a request again while the API server cannot answer: it is
// coming back, a webhook's server is, or etcd was too slow. A create that was done all the same then fails with
// AlreadyExists.
func retrying(config *rest.Config) *rest.Config {
	c := rest.CopyConfig(config)
	c.Wrap(func(next http.RoundTripper) http.RoundTripper { return retryTransport{next} })
	return c
}

type retryTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper. A watch gets no retries: its response has no end.
func (t retryTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Query().Has("watch") || req.Body != nil && req.GetBody == nil {
		return t.next.RoundTrip(req)
	}
	backoff := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 100, Cap: 5 * time.Second}
	for began := time.Now(); ; {
		resp, err := t.whole(req)
		if err == nil && !unavailable(resp.StatusCode) || time.Since(began) > retryTime || req.Context().Err() != nil {
			return resp, err
		}
		select {
		case <-req.Context().Done():
			return resp, err
		case <-time.After(backoff.Step()):
		}
	}
}

// whole sends the request and reads the response to its end, where a server that ends breaks it off.
func (t retryTransport) whole(req *http.Request) (*http.Response, error) {
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		var err error
		if again.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	resp, err := t.next.RoundTrip(again)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read response: %w", err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func unavailable(code int) bool {
	return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
}
