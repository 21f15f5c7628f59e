package identity_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/identity"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const day = 24 * time.Hour

// after is the tenant's cluster once so much time has passed, by the clock of the API server.
func (w world) after(t *testing.T, passed time.Duration, change func(*options.Services)) service.Tenant {
	t.Helper()
	config := kubetest.Connect(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Date", time.Now().Add(passed).UTC().Format(http.TimeFormat))
		w.ServeHTTP(out, r)
	}))
	config.ContentType = "application/json"
	c, err := kube.New(config)
	if err != nil {
		t.Fatal(err)
	}
	n := w.tenant(t, change)
	n.Client = c
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(n.Cluster), n.Cluster); err != nil { // it learns the time
		t.Fatal(err)
	}
	return n
}

// leaf is the certificate that Dex serves with, and authority the one that the cluster trusts.
func (w world) leaf(t *testing.T) *x509.Certificate {
	t.Helper()
	return parsed(t, w.secret(t, home, "dex-tls", "tls.crt"))
}

func (w world) authority(t *testing.T) *x509.Certificate {
	t.Helper()
	data, _ := w.Object(t, kind("", "ConfigMap", "configmaps"), "clusters", "kv-00-identity-ca").Object["data"].(map[string]any)
	return parsed(t, fmt.Sprint(data["ca.crt"]))
}

func parsed(t *testing.T, text string) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		t.Fatalf("no certificate: %q", text)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// TestCertificatesAreRenewed: the certificate and the authority are renewed once a third of their time is left, Dex is
// started anew with them, and who trusts the old authority still trusts Dex.
func TestCertificatesAreRenewed(t *testing.T) {
	w := newWorld(t, "", "")
	provider, dex := identity.Provider(), identity.Dex()
	oidc := withDex(options.IdentityOIDC)
	bring := func(passed time.Duration) {
		t.Helper()
		for _, s := range []service.Service{provider, dex} {
			apply(t, s, w.after(t, passed, oidc))
		}
		w.up(t, "192.168.216.41")
		for _, s := range []service.Service{provider, dex} {
			n := w.after(t, passed, oidc)
			expect(t, s.Check(t.Context(), n, n.Client), step.StateOK, "")
		}
	}
	content := func() string {
		return fmt.Sprint(kube.Text(w.Object(t, kind("apps", "Deployment", "deployments"), home, "dex"), "spec", "template",
			"metadata", "annotations", "hcctl.dev/dex-content"))
	}
	bring(0)
	first, authority, started, client := w.leaf(t), w.authority(t), content(), w.secret(t, home, "dex-keys", "clientSecret")
	n := w.after(t, 240*day, oidc)
	expect(t, dex.Check(t.Context(), n, n.Client), step.StateOK, "")
	if !w.leaf(t).Equal(first) {
		t.Error("renewed too early")
	}

	// A third of a year is left.
	n = w.after(t, 250*day, oidc)
	expect(t, dex.Check(t.Context(), n, n.Client), step.StateMissing, "was not applied from")
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateOK, "")
	bring(250 * day)
	second := w.leaf(t)
	if second.Equal(first) || !second.NotAfter.After(first.NotAfter.Add(200*day)) || !w.authority(t).Equal(authority) {
		t.Errorf("the certificate ends at %s, before it was %s", second.NotAfter, first.NotAfter)
	}
	if content() == started {
		t.Error("Dex is not started anew")
	}

	// Long after its end, when nobody ran hcctl for years; and a third of the authority's time is left.
	const years = 7 * 365 * day
	n = w.after(t, years, oidc)
	for _, s := range []service.Service{provider, dex} {
		expect(t, s.Check(t.Context(), n, n.Client), step.StateMissing, "Dex's authority has to be renewed")
	}
	bring(years)
	third, longer := w.leaf(t), w.authority(t)
	if longer.Equal(authority) || !longer.NotAfter.After(authority.NotAfter.Add(6*365*day)) {
		t.Errorf("the authority ends at %s, before it was %s", longer.NotAfter, authority.NotAfter)
	}
	for name, trusted := range map[string]*x509.Certificate{"old": authority, "new": longer} {
		roots := x509.NewCertPool()
		roots.AddCert(trusted)
		at := time.Now().Add(years + day)
		if _, err := third.Verify(x509.VerifyOptions{DNSName: "192.168.216.41", Roots: roots, CurrentTime: at}); err != nil {
			t.Errorf("with the %s authority: %v", name, err)
		}
	}
	if w.secret(t, home, "dex-keys", "clientSecret") != client {
		t.Error("the client has another secret")
	}
}

// TestGivenCertificates: one that a user gave is never renewed by hcctl, and told when it has ended, is another host's,
// or is not yet valid.
func TestGivenCertificates(t *testing.T) {
	w := newWorld(t, "", callback)
	provider, dex := identity.Provider(), identity.Dex()
	given := func(s *options.Services) {
		withDex(options.IdentityOAuth)(s)
		s.Dex.TLSSecret = "certificate"
	}
	store := func(host string, from, until time.Duration) {
		cert, key := selfSigned(t, host, time.Now().Add(from), time.Now().Add(until))
		w.Put(t, fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: certificate, namespace: clusters}, data: "+
			"{tls.crt: %s, tls.key: %s, ca.crt: %[1]s}}", base64.StdEncoding.EncodeToString(cert),
			base64.StdEncoding.EncodeToString(key)))
	}
	store("192.168.216.41", -day, 100*day)
	n := w.tenant(t, given)
	for _, s := range []service.Service{provider, dex} {
		apply(t, s, n)
	}
	w.up(t, "192.168.216.41")
	n = w.tenant(t, given)
	expect(t, dex.Check(t.Context(), n, n.Client), step.StateOK, "")
	ends := kube.Text(w.Object(t, kind("apps", "Deployment", "deployments"), home, "dex"), "metadata", "annotations",
		"hcctl.dev/certificate-until")
	if ends == "" || ends != w.leaf(t).NotAfter.UTC().Format(time.RFC3339) {
		t.Errorf("Dex's Deployment says that the certificate ends at %q", ends)
	}
	if !w.authority(t).Equal(w.leaf(t)) {
		t.Error("the cluster does not trust the given authority")
	}
	// It is the user's, and stays as it is however little time is left.
	n = w.after(t, 99*day, given)
	expect(t, dex.Check(t.Context(), n, n.Client), step.StateOK, "")
	for name, tc := range map[string]struct {
		passed time.Duration
		store  func()
		want   string
	}{
		"ended":      {101 * day, func() {}, "its certificate has ended"},
		"to come":    {0, func() { store("192.168.216.41", day, 2*day) }, "its certificate is not valid yet"},
		"of another": {0, func() { store("192.168.216.42", -day, day) }, "its certificate is not for 192.168.216.41"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.store()
			n := w.after(t, tc.passed, given)
			for _, s := range []service.Service{provider, dex} {
				expect(t, s.Check(t.Context(), n, n.Client), step.StateBroken, "Secret clusters/certificate: "+tc.want)
			}
			const option = `services.dex.tlsSecret "certificate": Secret clusters/certificate: `
			if err := provider.Refuse(t.Context(), n, n.Client); err == nil || len(err.Error()) < len(option) ||
				err.Error()[:len(option)] != option {
				t.Errorf("before anything is written: %v", err)
			}
			store("192.168.216.41", -day, 100*day)
		})
	}
	// A new one in the Secret is taken, and Dex started anew.
	store("192.168.216.41", -day, 300*day)
	n = w.tenant(t, given)
	expect(t, dex.Check(t.Context(), n, n.Client), step.StateMissing, "was not applied from")
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateMissing, "its content is not what it has to be")
}

// selfSigned is a certificate for a host that is its own authority, and its key.
func selfSigned(t *testing.T, host string, from, until time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host},
		IPAddresses: []net.IP{net.ParseIP(host)}, NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
	if _, err := tls.X509KeyPair(cert, key); err != nil {
		t.Fatal(err)
	}
	return cert, key
}
