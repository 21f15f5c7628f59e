// Package guest reaches into hosted clusters: a client of the hosted API server, made from the admin kubeconfig that
// the HyperShift operator publishes on the management cluster. It never writes that kubeconfig anywhere, and uses of it
// only what adminkubeconfig takes.
package guest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
)

// KubeconfigKey is the key of the admin kubeconfig in its Secret.
const KubeconfigKey = "kubeconfig"

// Timeout bounds one question to a hosted API server: one that is not reachable from here must not hold a command for
// long.
const Timeout = 5 * time.Second

const keepAlive = 15 * time.Second

// ErrNoKubeconfig means the operator has not published the admin kubeconfig yet.
var ErrNoKubeconfig = errors.New("the kubeconfig is not published yet")

// Access reads the admin kubeconfig of a hosted cluster from its Secret. It fails with ErrNoKubeconfig, with
// *RefusedError for what the HyperShift operator does not write, or with the error of the read.
func Access(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (*adminkubeconfig.Access, error) {
	if hc.Status.KubeConfig == nil || hc.Status.KubeConfig.Name == "" {
		return nil, ErrNoKubeconfig
	}
	access, err := ReadSecret(ctx, c, hc, hc.Status.KubeConfig.Name)
	if apierrors.IsNotFound(err) {
		return nil, ErrNoKubeconfig
	}
	return access, err
}

// ReadSecret reads one of the kubeconfigs of a hosted cluster from the Secret of that name. It fails as Access does,
// but for a Secret that is not there with the error of the read.
func ReadSecret(
	ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster, name string,
) (*adminkubeconfig.Access, error) {
	if err := checkName(hc, name); err != nil {
		return nil, err
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: hc.Namespace, Name: name}
	if err := c.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", key, err)
	}
	content := secret.Data[KubeconfigKey]
	if len(content) == 0 {
		return nil, ErrNoKubeconfig
	}
	access, err := adminkubeconfig.Parse(content)
	var field *adminkubeconfig.FieldError
	if errors.As(err, &field) {
		return nil, refused(key, field)
	}
	return access, err
}

// Connect makes a client of the hosted cluster. Nothing is asked of the hosted API server yet. It fails as Access does.
func Connect(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (*kube.Client, error) {
	access, err := Access(ctx, c, hc)
	if err != nil {
		return nil, err
	}
	return Client(access, client.ObjectKeyFromObject(hc))
}

// Client makes a client of what an Access to a hosted cluster leads to, each of whose questions is bounded by Timeout.
// It contacts nobody.
func Client(access *adminkubeconfig.Access, of client.ObjectKey) (*kube.Client, error) {
	cfg := access.RESTConfig()
	cfg.Timeout = Timeout
	return kube.New(cfg, kube.GuestOf(of.Namespace, of.Name))
}

// Watched makes clients for those who wait on a hosted cluster: the same client as long as the kubeconfig is the same,
// so that a step that asks again goes on with the watches it has. The zero value is ready for use.
type Watched struct {
	mu     sync.Mutex
	access *adminkubeconfig.Access
	client *kube.Client
}

// Client fails as Connect does. Only the connecting is bounded by Timeout: a watch lasts. Whoever reads bounds that
// himself.
func (w *Watched) Client(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (*kube.Client, error) {
	access, err := Access(ctx, c, hc)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.client != nil && w.access.Same(access) {
		return w.client, nil
	}
	cfg := access.RESTConfig()
	cfg.Dial = (&net.Dialer{Timeout: Timeout, KeepAlive: keepAlive}).DialContext
	client, err := kube.New(cfg, kube.GuestOf(hc.Namespace, hc.Name))
	if err != nil {
		return nil, err
	}
	w.access, w.client = access, client
	return client, nil
}
