package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const somebodysKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXWHqGh4ka6JjJcFuPmKXaIYzZKXiB4GVQEmWU2IMp1 somebody@example.com"

// The parts of the tenant's document.
const (
	tenantCluster = "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata: {name: kv-03, namespace: clusters}\nspec:\n" +
		"  nodePools: [{replicas: 1}]\n  nodeTopology: [host]\n  services:\n"
	tenantJumpHost = "    jumpHost: {image: \"registry.example/openssh:9\", authorizedKeysSecret: kv-03-jump-host-keys, port: %d}\n"
	tenantDex      = "    dex: {config: dex.yaml, %s}\n    identity: {groups: {team: view}}\n"
)

// tenantActs has a tenant, who has nothing to begin with but what is printed for a cluster that is not there yet,
// bring, change and take away each service, and the cluster.
func (st *stage) tenantActs() {
	st.t.Helper()
	pool, err := st.admin.first("ipaddresspools.metallb.io", "metallb-system/*")
	if err != nil {
		st.t.Fatal(err)
	}
	first, _, _ := strings.Cut(fmt.Sprint(nested(pool.Object, "spec", "addresses")), "-")
	at := net.ParseIP(strings.Trim(first, "[")).To4()
	if at == nil {
		st.t.Fatalf("the pool begins with %q", first)
	}
	at[3] += 60
	cert, key := selfSigned(st.t, at)
	for name, data := range map[string]map[string]any{"kv-03-jump-host-keys": {"authorized_keys": somebodysKey},
		"kv-03-dex-tls": {"tls.crt": cert, "tls.key": key, "ca.crt": cert}} {
		err := st.create(map[string]any{"apiVersion": "v1", "kind": "Secret",
			"metadata": map[string]any{"namespace": "clusters", "name": name}, "stringData": data})
		if err != nil {
			st.t.Fatal(err)
		}
	}
	st.write("dex.yaml", "issuer: https://"+at.String()+"\nstorage: {type: memory}\nenablePasswordDB: true\n")
	given, made := fmt.Sprintf(tenantDex, "tlsSecret: kv-03-dex-tls"), fmt.Sprintf(tenantDex, "image: \"registry.example/dex:v1\"")
	ssh, other := fmt.Sprintf(tenantJumpHost, 22), fmt.Sprintf(tenantJumpHost, 2222)
	owner := st.person("owner", "tenant", "--namespace", "clusters", "--cluster-name", "kv-03")
	for i, services := range []string{ssh + given, other + made, made, other} {
		file := fmt.Sprintf("tenant-%d.yaml", i)
		st.write(file, tenantCluster+services)
		wait := []string{"nodes", "api", "api", "complete"}[i] // status ends with 0 once the roll-out is complete
		owner.runs(0, "create", "cluster", "-f", file, "--wait", wait, "--yes")
		told := owner.runs(0, "get", "services", "kv-03")
		for _, one := range []struct{ part, name string }{{"jumpHost", "jump host"}, {"dex:", "Dex"}} {
			if has := strings.Contains(told, one.name); has != strings.Contains(services, one.part) {
				st.t.Errorf("with %s there is %s: %v\n%s", file, one.name, has, told)
			}
		}
	}
	owner.runs(0, "status", "kv-03")
	// Whoever looks at what ends looks at the cluster's services, too.
	st.person("auditor", "expiry", "--all-namespaces").runs(0, "get", "clusters", "kv-03", "--expiry")
	owner.runs(0, "delete", "cluster", "kv-03", "--yes")
	if _, err := st.admin.get("namespaces", "clusters-kv-03-services"); !apierrors.IsNotFound(err) {
		st.t.Errorf("the namespace of its services is left: %v", err)
	}
}

// nested is the value of a field; nil if it is not there.
func nested(v any, path ...string) any {
	for _, key := range path {
		fields, _ := v.(map[string]any)
		v = fields[key]
	}
	return v
}

// selfSigned is a certificate for an address that is its own authority, and its key.
func selfSigned(t *testing.T, at net.IP) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "dex"}, IPAddresses: []net.IP{at},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
}

// ofServices reports whether a right is about services. The others of a tenant are its editor's, too.
func ofServices(r right) bool {
	return strings.HasSuffix(r.namespace, "-services") || strings.HasSuffix(r.name, "-services") ||
		strings.Contains(r.name, "jump-host") || strings.Contains(r.name, "-identity-") || strings.Contains(r.name, "-dex-")
}
