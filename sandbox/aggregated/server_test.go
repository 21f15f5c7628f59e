package aggregated

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// world is a server with the trust settings of an API server, and the client certificate of its front proxy.
type world struct {
	*Server
	client client.Client
	proxy  *authority
}

func newWorld(t *testing.T) *world {
	t.Helper()
	proxy, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "extension-apiserver-authentication"},
		Data: map[string]string{
			"requestheader-client-ca-file": string(proxy.bundle), "requestheader-allowed-names": `["front-proxy-client"]`,
		},
	}).Build()
	s, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return &world{Server: s, client: c, proxy: proxy}
}

// get sends a request as the aggregation layer does, and checks the server for the Service's name. It uses a client
// certificate for commonName, or none if that is empty.
func (w *world) get(t *testing.T, path, commonName string) (int, []byte) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(w.certs.bundle)
	conf := &tls.Config{RootCAs: roots, ServerName: "svc.ns.svc", MinVersion: tls.VersionTLS12}
	if commonName != "" {
		conf.Certificates = []tls.Certificate{w.clientCertificate(t, commonName)}
	}
	transport := &http.Transport{TLSClientConfig: conf}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		fmt.Sprintf("https://127.0.0.1:%d%s", w.port, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

func (w *world) clientCertificate(t *testing.T, commonName string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: commonName},
		NotBefore: w.proxy.cert.NotBefore, NotAfter: w.proxy.cert.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, w.proxy.cert, key.Public(), w.proxy.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

const (
	group   = "subresources.example.io"
	aggName = "front-proxy-client"
)

func register(t *testing.T, w *world) {
	t.Helper()
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, "handled "+r.URL.Path)
	})
	err := w.Register(t.Context(), group, "v1", types.NamespacedName{Namespace: "ns", Name: "svc"}, handler,
		operator.APIResource{Name: "things", Kind: "Thing", Namespaced: true, Verbs: []string{"get"}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRegisterCreatesWhatTheAggregatorNeeds(t *testing.T) {
	w := newWorld(t)
	register(t, w)
	register(t, w) // registering again replaces the handler

	var svc corev1.Service
	if err := w.client.Get(t.Context(), types.NamespacedName{Namespace: "ns", Name: "svc"}, &svc); err != nil {
		t.Fatal(err)
	}
	if svc.Spec.Type != corev1.ServiceTypeExternalName || svc.Spec.ExternalName != "localhost" {
		t.Errorf("Service is %s %q, want ExternalName localhost", svc.Spec.Type, svc.Spec.ExternalName)
	}
	var api apiregistrationv1.APIService
	if err := w.client.Get(t.Context(), types.NamespacedName{Name: "v1." + group}, &api); err != nil {
		t.Fatal(err)
	}
	if api.Spec.Service == nil || *api.Spec.Service.Port != w.port || api.Spec.InsecureSkipTLSVerify ||
		len(api.Spec.CABundle) == 0 {
		t.Errorf("APIService spec %+v does not name the server with its CA", api.Spec)
	}
}

func TestDiscoveryAndHandler(t *testing.T) {
	w := newWorld(t)
	register(t, w)
	var groups metav1.APIGroupList
	code, body := w.get(t, "/apis", aggName)
	if err := json.Unmarshal(body, &groups); err != nil || code != http.StatusOK {
		t.Fatalf("/apis: %d %s (%v)", code, body, err)
	}
	if len(groups.Groups) != 1 || groups.Groups[0].PreferredVersion.GroupVersion != group+"/v1" {
		t.Errorf("/apis lists %+v", groups.Groups)
	}
	var resources metav1.APIResourceList
	code, body = w.get(t, "/apis/"+group+"/v1", aggName)
	if err := json.Unmarshal(body, &resources); err != nil || code != http.StatusOK {
		t.Fatalf("resources: %d %s (%v)", code, body, err)
	}
	if len(resources.APIResources) != 1 || resources.APIResources[0].Name != "things" ||
		!resources.APIResources[0].Namespaced {
		t.Errorf("resources %+v", resources.APIResources)
	}
	path := "/apis/" + group + "/v1/namespaces/a/things/b"
	if code, body = w.get(t, path, aggName); code != http.StatusOK || string(body) != "handled "+path {
		t.Errorf("handler: %d %s", code, body)
	}
	for _, unknown := range []string{"/apis/other.io", "/apis/" + group + "/v2", "/healthz"} {
		if code, _ = w.get(t, unknown, aggName); code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", unknown, code)
		}
	}
}

func TestOnlyTheAggregatorIsAnswered(t *testing.T) {
	w := newWorld(t)
	register(t, w)
	for _, name := range []string{"", "somebody"} {
		if code, body := w.get(t, "/apis", name); code != http.StatusUnauthorized {
			t.Errorf("client %q: %d %s, want 401", name, code, body)
		}
	}
}

func TestUnregister(t *testing.T) {
	w := newWorld(t)
	register(t, w)
	for range 2 { // unregistering twice is no error
		if err := w.Unregister(t.Context(), group, "v1"); err != nil {
			t.Fatal(err)
		}
	}
	err := w.client.Get(t.Context(), types.NamespacedName{Name: "v1." + group}, &apiregistrationv1.APIService{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("APIService after Unregister: %v, want not found", err)
	}
	if code, _ := w.get(t, "/apis/"+group+"/v1", aggName); code != http.StatusNotFound {
		t.Errorf("discovery after Unregister: %d, want 404", code)
	}
}
