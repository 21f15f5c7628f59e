package aggregated

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// frontProxy verifies that requests come from the API server's aggregation layer, which has authenticated and
// authorized them. Like every extension API server it reads the trusted CA from ConfigMap
// kube-system/extension-apiserver-authentication, which kube-apiserver writes soon after its start.
type frontProxy struct {
	client client.Reader

	mu    sync.Mutex
	roots *x509.CertPool
	names []string
}

// verify returns an error unless the connection comes from the aggregation layer.
func (c *frontProxy) verify(ctx context.Context, conn *tls.ConnectionState) error {
	if conn == nil || len(conn.PeerCertificates) == 0 {
		return errors.New("no client certificate")
	}
	roots, names, err := c.trusted(ctx)
	if err != nil {
		return err
	}
	cert := conn.PeerCertificates[0]
	if _, err := cert.Verify(x509.VerifyOptions{Roots: roots,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		return fmt.Errorf("client certificate: %w", err)
	}
	if len(names) > 0 && !slices.Contains(names, cert.Subject.CommonName) {
		return fmt.Errorf("client certificate of %q, which is not the aggregation layer", cert.Subject.CommonName)
	}
	return nil
}

// trusted loads the front proxy's certificate authority and client names. It fails until the ConfigMap exists.
func (c *frontProxy) trusted(ctx context.Context) (*x509.CertPool, []string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.roots != nil {
		return c.roots, c.names, nil
	}
	var cm corev1.ConfigMap
	key := client.ObjectKey{Namespace: "kube-system", Name: "extension-apiserver-authentication"}
	if err := c.client.Get(ctx, key, &cm); err != nil {
		return nil, nil, fmt.Errorf("trust of the aggregation layer: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(cm.Data["requestheader-client-ca-file"])) {
		return nil, nil, fmt.Errorf("trust of the aggregation layer: ConfigMap %s has no requestheader-client-ca-file", key)
	}
	var names []string
	if raw := cm.Data["requestheader-allowed-names"]; raw != "" {
		if err := json.Unmarshal([]byte(raw), &names); err != nil {
			return nil, nil, fmt.Errorf("trust of the aggregation layer: requestheader-allowed-names: %w", err)
		}
	}
	c.roots, c.names = roots, names
	return roots, names, nil
}
