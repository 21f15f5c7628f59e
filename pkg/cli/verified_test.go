package cli

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// impostor is a server with a certificate of its own, and how many requests got through to it.
func impostor(t *testing.T) (s *httptest.Server, requests *int) {
	t.Helper()
	n := 0
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n++
		w.WriteHeader(http.StatusForbidden)
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // of each handshake that fails
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, &n
}

// A server that the kubeconfig's CA has not signed gets no request, and so no credential, from any command; a
// kubeconfig that says itself not to verify is obeyed.
func TestServersAreVerified(t *testing.T) {
	s, requests := impostor(t)
	own := kubeconfigOf(t, s, "{token: zq-secret-token}")
	cfg, err := clientcmd.LoadFromFile(own)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Clusters["a"].CertificateAuthorityData = otherCA(t)
	if err := clientcmd.WriteToFile(*cfg, own); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check"}, {"get", "clusters"}, {"status"}, {"kubeconfig", "kv-00"}, {"bootstrap", "--dry-run"}, {"delete", "cluster",
			"kv-00", "--yes"},
		{"create", "cluster", "--name", "kv-00", "--yes"}, {"create", "cluster", "--name", "kv-00", "--yes",
			"--skip-preflight", "all"}, {"dump", "kv-00", "--artifact-dir", t.TempDir()},
	} {
		code, _, errs := run(t, append(args, "--kubeconfig", own)...)
		if code != 1 || !strings.Contains(errs, "not trusted") {
			t.Errorf("hcctl %v: exit code %d\n%s", args, code, errs)
		}
	}
	if *requests > 0 {
		t.Errorf("%d requests got to a server that is not trusted", *requests)
	}
	cfg.Clusters["a"].CertificateAuthorityData, cfg.Clusters["a"].InsecureSkipTLSVerify = nil, true
	if err := clientcmd.WriteToFile(*cfg, own); err != nil {
		t.Fatal(err)
	}
	if run(t, "get", "clusters", "--kubeconfig", own); *requests == 0 {
		t.Error("a kubeconfig that says not to verify was not obeyed: the server above would have got none in any case")
	}
}

// otherCA is the certificate of a CA that has signed nothing here.
func otherCA(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "other-ca"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// What is merged keeps the certificate authority, and nothing of verification is lost or won on the way.
func TestMergedKubeconfigsVerify(t *testing.T) {
	ca := otherCA(t)
	admin := kubetest.TokenKubeconfig("https://kv-00.example:6443", ca, "t")
	m := answering(t, map[string]any{
		"/version": values{"gitVersion": "v1.33.5"}, hostedPath + "/kv-00": values{
			"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
			"metadata": values{"namespace": "clusters", "name": "kv-00"}, "spec": values{"clusterID": "id-0"},
			"status": values{"kubeconfig": values{"name": "kv-00-admin-kubeconfig"}},
		},
		"/api/v1/namespaces/clusters/secrets/kv-00-admin-kubeconfig": secretOf("kubeconfig", admin),
	})
	path := home(t, m.URL)
	file := path + "-merged"
	mine := `apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://lab:6443", insecure-skip-tls-verify: true}}]
users: [{name: me, user: {token: t}}]
contexts: [{name: lab, context: {cluster: lab, user: me}}]
current-context: lab
`
	if err := os.WriteFile(file, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := hcctl(t, "kubeconfig", "kv-00", "--merge", "--file", file); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	cfg, err := clientcmd.LoadFromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cfg.Clusters {
		switch {
		case name == "lab" && !c.InsecureSkipTLSVerify:
			t.Error("what the user's own cluster says was changed")
		case name != "lab" && (c.InsecureSkipTLSVerify || !bytes.Equal(c.CertificateAuthorityData, ca)):
			t.Errorf("%s: insecure %v, CA %q", name, c.InsecureSkipTLSVerify, c.CertificateAuthorityData)
		}
	}
	if len(cfg.Clusters) != 2 {
		t.Errorf("%d clusters", len(cfg.Clusters))
	}
}
