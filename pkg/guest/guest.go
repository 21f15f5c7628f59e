// Package guest reaches into hosted clusters: a client of the hosted API server, made from the admin kubeconfig that the
// HyperShift operator publishes on the management cluster. It never writes that kubeconfig anywhere.
package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
)

// KubeconfigKey is the key of the admin kubeconfig in its Secret.
const KubeconfigKey = "kubeconfig"

// Timeout bounds one question to a hosted API server: one that is not reachable from here must not hold a command for long.
const Timeout = 5 * time.Second

const keepAlive = 15 * time.Second

// ErrNoKubeconfig means the operator has not published the admin kubeconfig yet.
var ErrNoKubeconfig = errors.New("the kubeconfig is not published yet")

// Kubeconfig reads the admin kubeconfig of a hosted cluster from its Secret. It fails with ErrNoKubeconfig, or with the error of
// the read.
func Kubeconfig(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) ([]byte, error) {
	if hc.Status.KubeConfig == nil || hc.Status.KubeConfig.Name == "" {
		return nil, ErrNoKubeconfig
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: hc.Namespace, Name: hc.Status.KubeConfig.Name}
	if err := c.Get(ctx, key, secret); apierrors.IsNotFound(err) {
		return nil, ErrNoKubeconfig
	} else if err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", key, err)
	}
	content := secret.Data[KubeconfigKey]
	if len(content) == 0 {
		return nil, ErrNoKubeconfig
	}
	return content, nil
}

// Connect makes a client of the hosted cluster. Nothing is asked of the hosted API server yet. It fails as Kubeconfig does, or
// if the kubeconfig cannot be used.
func Connect(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (*kube.Client, error) {
	content, err := Kubeconfig(ctx, c, hc)
	if err != nil {
		return nil, err
	}
	return newClient(content, hc, func(cfg *rest.Config) { cfg.Timeout = Timeout })
}

// Watched makes clients for those who wait on a hosted cluster: the same client as long as the kubeconfig is the same, so that a
// step that asks again goes on with the watches it has. The zero value is ready for use.
type Watched struct {
	mu         sync.Mutex
	kubeconfig []byte
	client     *kube.Client
}

// Client fails as Connect does. Only the connecting is bounded by Timeout: a watch lasts. Whoever reads bounds that himself.
func (w *Watched) Client(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (*kube.Client, error) {
	content, err := Kubeconfig(ctx, c, hc)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.client != nil && bytes.Equal(w.kubeconfig, content) {
		return w.client, nil
	}
	client, err := newClient(content, hc, func(cfg *rest.Config) {
		cfg.Dial = (&net.Dialer{Timeout: Timeout, KeepAlive: keepAlive}).DialContext
	})
	if err != nil {
		return nil, err
	}
	w.kubeconfig, w.client = content, client
	return client, nil
}

func newClient(kubeconfig []byte, hc *hyperv1.HostedCluster, bound func(*rest.Config)) (*kube.Client, error) {
	cfg, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig cannot be used: %w", err)
	}
	bound(cfg)
	return kube.New(cfg, kube.GuestOf(hc.Namespace, hc.Name))
}
