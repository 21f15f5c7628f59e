package kubetest

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Pair is a self-signed certificate and its key, in PEM.
type Pair struct{ Certificate, Key []byte }

// NewPair returns the Pair of a name. It is deterministic, so that several test processes get the same one.
func NewPair(name string) Pair {
	return NewPairUntil(name, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
}

// NewPairUntil is NewPair with another expiry.
func NewPairUntil(name string, until time.Time) Pair {
	seed := sha256.Sum256([]byte(name))
	key := ed25519.NewKeyFromSeed(seed[:])
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Unix(0, 0), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	must(err)
	return Pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}),
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// AdminPair returns the credentials in AdminKubeconfig. Without a server its certificate is also the CA.
var AdminPair = sync.OnceValue(func() Pair { return NewPair("system:admin") })

// AdminKubeconfig returns the admin kubeconfig of a hosted cluster as HyperShift writes it. With a nil CA it has a CA
// that has signed no server certificate.
func AdminKubeconfig(server string, ca []byte) string {
	pair := AdminPair()
	return kubeconfigOf(server, ca, &api.AuthInfo{ClientCertificateData: pair.Certificate, ClientKeyData: pair.Key})
}

// TokenKubeconfig is AdminKubeconfig with a token instead of the certificate.
func TokenKubeconfig(server string, ca []byte, token string) string {
	return kubeconfigOf(server, ca, &api.AuthInfo{Token: token})
}

func kubeconfigOf(server string, ca []byte, user *api.AuthInfo) string {
	if ca == nil {
		ca = AdminPair().Certificate
	}
	config := api.NewConfig()
	config.Clusters["cluster"] = &api.Cluster{Server: server, CertificateAuthorityData: ca}
	config.AuthInfos["admin"] = user
	config.Contexts["admin"] = &api.Context{Cluster: "cluster", AuthInfo: "admin", Namespace: "default"}
	config.CurrentContext = "admin"
	data, err := clientcmd.Write(*config)
	must(err)
	return string(data)
}

// Hosted starts a hosted API server until the test ends, and returns its admin kubeconfig.
func Hosted(t testing.TB, handler http.Handler) (server *httptest.Server, kubeconfig string) {
	t.Helper()
	server = httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	return server, AdminKubeconfig(server.URL, CAOf(server))
}

// CAOf returns the CA of an httptest server with TLS in PEM.
func CAOf(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}
