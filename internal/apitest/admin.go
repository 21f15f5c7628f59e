package apitest

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

// Pair is a certificate, which is its own authority, and its key, both PEM.
type Pair struct{ Certificate, Key []byte }

// NewPair makes a Pair, always the same of a name: tests of several processes agree on it.
func NewPair(name string) Pair {
	seed := sha256.Sum256([]byte(name))
	key := ed25519.NewKeyFromSeed(seed[:])
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
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

// AdminPair are the credentials in AdminKubeconfig, the same for a whole process, and the CA where no server runs.
var AdminPair = sync.OnceValue(func() Pair { return NewPair("system:admin") })

// AdminKubeconfig is the admin kubeconfig of a hosted cluster as HyperShift writes it. Nil for the CA stands for one
// that has signed no server.
func AdminKubeconfig(server string, ca []byte) string {
	pair := AdminPair()
	return written(server, ca, &api.AuthInfo{ClientCertificateData: pair.Certificate, ClientKeyData: pair.Key})
}

// TokenKubeconfig is AdminKubeconfig with a token in the place of the certificate.
func TokenKubeconfig(server string, ca []byte, token string) string {
	return written(server, ca, &api.AuthInfo{Token: token})
}

func written(server string, ca []byte, user *api.AuthInfo) string {
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

// Hosted is a hosted API server that listens until the test ends, and the admin kubeconfig that leads to it.
func Hosted(t testing.TB, handler http.Handler) (server *httptest.Server, kubeconfig string) {
	t.Helper()
	server = httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	return server, AdminKubeconfig(server.URL, CAOf(server))
}

// CAOf is the CA of a server of httptest with TLS, PEM.
func CAOf(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}
