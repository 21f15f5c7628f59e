package kube

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// A certificate that is not trusted is not a server that is away: nothing is tried again, and waiting is of no use.
func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	_, err := http.Get(s.URL) //nolint:noctx,bodyclose // there is no answer
	if err == nil || !transport.IsUntrusted(err) || IsTransient(err) || !Unknown(err).Final {
		t.Fatalf("%v: untrusted %t, transient %t", err, transport.IsUntrusted(err), IsTransient(err))
	}
	if got := Explain(err); !strings.Contains(got, "certificate is not trusted") {
		t.Error(got)
	}
}

// pair makes a certificate that signs itself, valid until then, with its key, in PEM.
func pair(t *testing.T, until time.Time) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.AddDate(-1, 0, 0), NotAfter: until,
		DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw})
}

// asked is the error of a first request with a configuration.
func asked(t *testing.T, cfg *rest.Config) error {
	t.Helper()
	cfg.Timeout = 5 * time.Second
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.ServerVersion(t.Context())
	return err
}

// TestCertificatesThatHaveEnded: the server's and the kubeconfig's are told with their time.
func TestCertificatesThatHaveEnded(t *testing.T) {
	t.Parallel()
	ended := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	certificate, key := pair(t, ended)
	own, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{Certificates: []tls.Certificate{own}}
	server.StartTLS()
	t.Cleanup(server.Close)
	at := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	refuses := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	}))
	t.Cleanup(refuses.Close)
	valid, validKey := pair(t, time.Now().AddDate(1, 0, 0))
	trust := func(cert, key []byte) *rest.Config {
		return &rest.Config{Host: refuses.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true, CertData: cert,
			KeyData: key}}
	}
	for name, tc := range map[string]struct {
		cfg         *rest.Config
		kind        ErrorKind
		words, hint string
	}{
		"the server's": {&rest.Config{Host: at, TLSClientConfig: rest.TLSClientConfig{CAData: certificate}}, OutOfDate,
			"the certificate of " + at + " ended at 2020-02-03T04:05:06Z, and this machine's clock says ", "clock"},
		"the kubeconfig's": {trust(certificate, key), CertificateEnded,
			"the kubeconfig's client certificate ended at 2020-02-03T04:05:06Z", "oc login"},
		"another refusal": {trust(valid, validKey), Unauthorized, "(they may have expired)", "--context"},
		"no certificate":  {trust(nil, nil), Unauthorized, "(they may have expired)", "--context"},
	} {
		err := asked(t, tc.cfg)
		f := Unknown(err)
		if KindOf(err) != tc.kind || !strings.Contains(f.Message, tc.words) || !strings.Contains(f.Hint.String(), tc.hint) ||
			!f.Final || tc.kind != OutOfDate && !apierrors.IsUnauthorized(err) {
			t.Errorf("%s: kind %d, %s (%s)", name, KindOf(err), f.Message, f.Hint)
		}
	}
}

// TestAProxyThatRefuses: what a proxy answers is not told as the API server's answer.
func TestAProxyThatRefuses(t *testing.T) {
	t.Parallel()
	answer := http.StatusForbidden
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(answer) }))
	t.Cleanup(proxy.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	private := httptest.NewUnstartedServer(http.NotFoundHandler())
	private.Config.ErrorLog = log.New(io.Discard, "", 0) //nolint:forbidigo // it says nothing
	private.StartTLS()
	t.Cleanup(private.Close)
	through := func(at string) *rest.Config {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		return &rest.Config{Host: "https://api.example.com:6443", Proxy: http.ProxyURL(u)}
	}
	for name, tc := range map[string]struct {
		answer int
		at     string
		words  []string
		final  bool
	}{
		"not allowed": {http.StatusForbidden, proxy.URL, []string{"the proxy " + strings.TrimPrefix(proxy.URL, "http://"),
			"to the API server at https://api.example.com:6443 refuses it: 403 Forbidden"}, true},
		"no password":    {http.StatusProxyAuthRequired, proxy.URL, []string{"refuses it: 407 ", "a user and a password"}, true},
		"no way further": {http.StatusBadGateway, proxy.URL, []string{"refuses it: 502 Bad Gateway"}, false},
		"it is not there": {0, gone.URL, []string{"the proxy " + strings.TrimPrefix(gone.URL, "http://") +
			" on the way to the API server at", "is not reached: ", "refused"}, false},
		"it has no name": {0, "http://proxy.invalid:3128", []string{"the proxy on the way to the API server at",
			"is not reached: ", "proxy.invalid"}, false},
		"its certificate": {0, private.URL, []string{"the proxy on the way to the API server at",
			"is not reached: ", "certificate"}, true},
	} {
		answer = tc.answer
		err := asked(t, through(tc.at))
		f := Unknown(err)
		for _, words := range tc.words {
			if !strings.Contains(f.Message, words) {
				t.Errorf("%s: no %q in %s", name, words, f.Message)
			}
		}
		if KindOf(err) != Proxy || f.Final != tc.final || !strings.Contains(f.Hint.String(), "NO_PROXY") {
			t.Errorf("%s: kind %d, final %t, %s", name, KindOf(err), f.Final, f.Hint)
		}
	}
}

// TestAWebhookThatDoesNotAnswer names the Service that serves it, in the words of k8s.io/apiserver.
func TestAWebhookThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	err := apierrors.NewInternalError(errors.New(`failed calling webhook "ipaddresspoolvalidationwebhook.metallb.io": ` +
		`failed to call webhook: Post "https://metallb-webhook-service.metallb-system.svc:443/validate?timeout=10s": ` +
		`no endpoints available for service "metallb-webhook-service"`))
	f := Unknown(err)
	if want := "webhook ipaddresspoolvalidationwebhook.metallb.io, which Service metallb-system/metallb-webhook-service " +
		"serves, does not answer yet: no endpoints available"; !strings.HasPrefix(f.Message, want) {
		t.Errorf("%s, want %s", f.Message, want)
	}
	if want := "oc get pods,endpoints -n metallb-system"; KindOf(err) != Webhook || !strings.Contains(f.Hint.String(), want) ||
		!IsTransient(err) {
		t.Errorf("kind %d, %s", KindOf(err), f.Hint)
	}
	other := apierrors.NewInternalError(errors.New(`failed calling webhook "a.example": connection refused`))
	if got := Explain(other); !strings.HasPrefix(got, "a webhook does not answer yet: ") || !Remedy(other).IsZero() {
		t.Error(got)
	}
}
