// Package guest connects to hosted clusters with the admin kubeconfig that the HyperShift operator publishes on the
// management cluster. It never writes that kubeconfig to a file, and uses only what adminkubeconfig accepts.
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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// KubeconfigKey is the key of the admin kubeconfig in its Secret.
const KubeconfigKey = "kubeconfig"

// Timeout limits one request to a hosted API server, which may be unreachable.
const Timeout = 5 * time.Second

const keepAlive = 15 * time.Second

// ErrNoKubeconfig means that the operator has not published the admin kubeconfig yet.
var ErrNoKubeconfig = errors.New("the kubeconfig is not published yet")

// Access reads the admin kubeconfig of a hosted cluster from its Secret. It returns ErrNoKubeconfig, a *RefusedError
// (the operator did not write it), or the error of the read.
func Access(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (*adminkubeconfig.Access, error) {
	if hc.Status.KubeConfig == nil || hc.Status.KubeConfig.Name == "" {
		return nil, ErrNoKubeconfig
	}
	access, err := ReadSecret(ctx, r, hc, hc.Status.KubeConfig.Name)
	if apierrors.IsNotFound(err) {
		return nil, ErrNoKubeconfig
	}
	return access, err
}

// ReadSecret reads a kubeconfig of a hosted cluster from the Secret with this name. It returns the errors of Access,
// but for a missing Secret the error of the read.
func ReadSecret(
	ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, name string) (*adminkubeconfig.Access, error) {
	if err := checkName(hc, name); err != nil {
		return nil, err
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: hc.Namespace, Name: name}
	if err := r.Get(ctx, key, secret); err != nil {
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

// AdminSecret returns the Secret that Access usually reads, for kube.ReadAhead.
func AdminSecret(namespace, name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace,
		Name: hostedcluster.AdminKubeconfigName(name)}}
}

// Connect returns a client of the hosted cluster without sending a request to it. It returns the errors of Access.
func Connect(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (*kube.Client, error) {
	access, err := Access(ctx, r, hc)
	if err != nil {
		return nil, err
	}
	return Reach(r, access, client.ObjectKeyFromObject(hc))
}

// Reach returns a client for an Access without sending a request. Timeout limits each of its requests. r is for the
// management cluster.
func Reach(r kube.Reader, access *adminkubeconfig.Access, of client.ObjectKey) (*kube.Client, error) {
	cfg, err := Config(r, access, of)
	if err != nil {
		return nil, err
	}
	cfg.Timeout = Timeout
	return kube.New(cfg, transport.GuestOf(of.Namespace, of.Name))
}

// Config returns the connection to a hosted API server: to its address or, if the client of the management cluster
// allows it, through a tunnel. Reached returns which of them was used.
func Config(r kube.Reader, access *adminkubeconfig.Access, of client.ObjectKey) (*rest.Config, error) {
	cfg := access.RESTConfig()
	return cfg, r.Live().DetourTo(of).Over(cfg, NewTunnel(r, of).Dial)
}

// CachedClient keeps its client while the kubeconfig does not change, so that a waiting step keeps its watches. The
// zero value is ready for use. Timeout limits only the connecting, because a watch lasts; the caller limits its reads.
type CachedClient struct {
	mu     sync.Mutex
	access *adminkubeconfig.Access
	hosted *kube.Client
}

// Client returns the cached client. It returns the errors of Connect.
func (w *CachedClient) Client(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (*kube.Client, error) {
	return w.connect(ctx, c, hc)
}

// Reader returns a Reader of the hosted cluster that reads as r does. It returns the errors of Connect.
func (w *CachedClient) Reader(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (kube.Reader, error) {
	hosted, err := w.connect(ctx, r, hc)
	if err != nil {
		return nil, err
	}
	return r.From(hosted), nil
}

func (w *CachedClient) connect(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (*kube.Client, error) {
	access, err := Access(ctx, r, hc)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hosted != nil && w.access.Equal(access) {
		return w.hosted, nil
	}
	cfg, err := Config(r, access, client.ObjectKeyFromObject(hc))
	if err != nil {
		return nil, err
	}
	cfg.Dial = (&net.Dialer{Timeout: Timeout, KeepAlive: keepAlive}).DialContext
	hosted, err := kube.New(cfg, transport.GuestOf(hc.Namespace, hc.Name))
	if err != nil {
		return nil, err
	}
	w.access, w.hosted = access, hosted
	return hosted, nil
}
