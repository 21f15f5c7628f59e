package programs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// guestServer is the running API server of a hosted cluster.
type guestServer struct {
	address string
	handle  *operator.APIServerHandle
	client  client.Client
}

// ensureGuest starts the API server of a control plane once its pods run and its address and certificates exist; nil
// until then. It serves with the certificates that the control-plane-operator made.
func (b *base) ensureGuest(ctx context.Context, namespace string) (*guestServer, error) {
	b.mu.Lock()
	g := b.guests[namespace]
	b.mu.Unlock()
	if g != nil {
		return g, nil
	}
	d := &appsv1.Deployment{}
	if err := b.cached.Get(ctx, client.ObjectKey{Namespace: namespace, Name: apiService}, d); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if !workload.DeploymentAvailable(d) {
		return nil, nil //nolint:nilnil // no guest yet
	}
	address, err := b.address(ctx, namespace)
	if err != nil || address == "" {
		return nil, err
	}
	certs, err := b.certs(ctx, namespace)
	if err != nil {
		return nil, err
	}
	bind, port := guest.BindAddress(address)
	handle, err := b.APIServers.StartWith(ctx, namespace, bind, port, certs)
	if err != nil {
		return nil, err
	}
	g, err = newGuest(ctx, bind, handle)
	if err != nil {
		return nil, errors.Join(err, handle.Stop(false))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.guests[namespace] = g
	return g, nil
}

func newGuest(ctx context.Context, address string, handle *operator.APIServerHandle) (*guestServer, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme,
		configv1.Install} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("scheme of a guest: %w", err)
		}
	}
	c, err := client.NewWithWatch(handle.Config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("reach a guest: %w", err)
	}
	if err := crds.InstallSome(ctx, c, crds.Birth, "clusteroperators.config.openshift.io",
		"clusterversions.config.openshift.io"); err != nil {
		return nil, err
	}
	return &guestServer{address: address, handle: handle, client: c}, nil
}

// removeGuest ends the API server of a control plane that is gone, and deletes its data.
func (b *base) removeGuest(namespace string) error {
	b.mu.Lock()
	g := b.guests[namespace]
	delete(b.guests, namespace)
	b.mu.Unlock()
	if g == nil {
		return nil
	}
	return g.handle.Stop(true)
}

// address returns the load balancer's address of an API server; "" until it has one.
func (b *base) address(ctx context.Context, namespace string) (string, error) {
	s := &corev1.Service{}
	if err := b.cached.Get(ctx, client.ObjectKey{Namespace: namespace, Name: apiService}, s); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	for _, i := range s.Status.LoadBalancer.Ingress {
		if i.IP != "" {
			return i.IP, nil
		}
	}
	return "", nil
}

// certs reads the certificates that kube-apiserver's pods mount.
func (b *base) certs(ctx context.Context, namespace string) (operator.ServingCerts, error) {
	serving, internal, ca := &corev1.Secret{}, &corev1.Secret{}, &corev1.Secret{}
	clients := &corev1.ConfigMap{}
	for name, o := range map[string]client.Object{"kas-server-crt": serving, "kas-server-private-crt": internal,
		"root-ca": ca, "client-ca": clients} {
		if err := b.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o); err != nil {
			return operator.ServingCerts{}, fmt.Errorf("read the certificates of kube-apiserver: %w", err)
		}
	}
	certs := operator.ServingCerts{
		Cert: serving.Data["tls.crt"], Key: serving.Data["tls.key"], CA: ca.Data["ca.crt"],
		InternalCert: internal.Data["tls.crt"], InternalKey: internal.Data["tls.key"],
		ClientCA: []byte(strings.TrimSpace(clients.Data["ca.crt"]) + "\n"),
	}
	if len(certs.Cert) == 0 || len(certs.Key) == 0 || len(certs.CA) == 0 {
		return certs, fmt.Errorf("a certificate of kube-apiserver in %s is empty", namespace)
	}
	return certs, nil
}
