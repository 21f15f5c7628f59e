package infrastructure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/subresource"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// KubeconfigKey is the key of the kubeconfig in its Secret. HyperShift reads it whatever key the HostedCluster names
// (kubevirtexternalinfra/externalinfra.go, GetKubeConfig, v0.1.70 to v0.1.81).
const KubeconfigKey = "kubeconfig"

// Cluster is an infrastructure cluster, with the namespace of the worker VMs.
type Cluster struct {
	*kube.Client
	Namespace string
}

// Through returns a Reader of the cluster that reads in the way of another.
func (c *Cluster) Through(r kube.Reader) kube.Reader { return r.From(c.live()) }

func (c *Cluster) live() *kube.Client { return c.Client }

// NotReachedError means that nothing is known of the worker VMs, because their cluster could not be asked.
type NotReachedError struct {
	// Of is the hosted cluster as NAMESPACE/NAME.
	Of string
	// Namespace of the VMs, as the HostedCluster names it.
	Namespace string
	Err       error
	// Consoles is set where VMs were to be logged in to.
	Consoles bool
}

// Error says what could not be asked, and why.
func (e *NotReachedError) Error() string {
	return fmt.Sprintf("the infrastructure cluster of hosted cluster %s, which runs its VMs, could not be asked: %s", e.Of,
		kube.Explain(e.Err))
}

// Unwrap returns the reason.
func (e *NotReachedError) Unwrap() error { return e.Err }

// Hint says what right is missing.
func (e *NotReachedError) Hint() hint.Text {
	if len(validation.IsDNS1123Label(e.Namespace)) > 0 {
		return hint.Text{}
	}
	role := hint.Run("rbac").Flag("for", "infra").Flag("namespace", e.Namespace)
	if e.Consoles {
		role = role.Flag("with", "consoles")
	}
	return hint.New("%s prints a role for that cluster; on the management cluster it takes get of the Secret that the "+
		"HostedCluster names", role)
}

// Of returns the infrastructure cluster of a hosted cluster, and sends no request to it. It fails with
// *NotReachedError.
func Of(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (*Cluster, error) {
	c, err := of(ctx, r, hc)
	if err != nil {
		return nil, &NotReachedError{Of: kube.Name(hc), Namespace: hc.Spec.Platform.Kubevirt.Credentials.InfraNamespace,
			Err: err}
	}
	return c, nil
}

func of(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (*Cluster, error) {
	credentials := hc.Spec.Platform.Kubevirt.Credentials
	if credentials.InfraKubeConfigSecret == nil {
		return nil, errors.New("the HostedCluster names no Secret with its kubeconfig")
	}
	name := credentials.InfraKubeConfigSecret.Name
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		return nil, errors.New("what the HostedCluster names as the Secret of its kubeconfig is not the name of a Secret")
	}
	secret, key := &corev1.Secret{}, client.ObjectKey{Namespace: hc.Namespace, Name: name}
	if err := r.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", key, err)
	}
	c, err := Open(secret.Data[KubeconfigKey], credentials.InfraNamespace, client.ObjectKeyFromObject(hc))
	if err != nil {
		return nil, fmt.Errorf("key %s of Secret %s: %w", KubeconfigKey, key, err)
	}
	return c, nil
}

// Open returns the infrastructure cluster of a kubeconfig, for a hosted cluster, and sends no request to it. It fails
// with *adminkubeconfig.FieldError for a kubeconfig that names a command, a file, a proxy or another person, or has
// more than one server, its CA and credentials in its current context.
func Open(content []byte, namespace string, hosted client.ObjectKey) (*Cluster, error) {
	if len(validation.IsDNS1123Label(namespace)) > 0 {
		return nil, errors.New("the namespace of the worker VMs is not the name of a namespace")
	}
	access, err := adminkubeconfig.ParseCurrent(content)
	if err != nil {
		return nil, err
	}
	cfg := access.RESTConfig()
	// A request may last as long as a list of all pods takes; that it is answered at all shows at once.
	cfg.Dial = (&net.Dialer{Timeout: guest.Timeout}).DialContext
	c, err := kube.New(cfg, transport.InfrastructureOf(hosted.Namespace, hosted.Name))
	if err != nil {
		return nil, err
	}
	return &Cluster{c, namespace}, nil
}

// Site is where the worker VMs of a hosted cluster are.
type Site struct {
	// Reader reads the cluster that they run on.
	Reader kube.Reader
	// Namespace is theirs.
	Namespace string
	// Cluster is nil where that is the management cluster.
	Cluster *Cluster
	// Of is the hosted cluster as NAMESPACE/NAME.
	Of string
	// own are the labels of the VMs of this cluster: a namespace of an infrastructure cluster may have others' VMs.
	own client.MatchingLabels
}

// SiteOf returns where the worker VMs of a hosted cluster are. It reads nothing where that is the management cluster,
// and fails as Of does elsewhere.
func SiteOf(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (Site, error) {
	if !hostedcluster.PlatformOf(hc).Elsewhere() {
		return Site{Reader: r, Namespace: hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name), Of: kube.Name(hc)}, nil
	}
	c, err := Of(ctx, r, hc)
	if err != nil {
		return Site{}, err
	}
	return Site{Reader: c.Through(r), Namespace: c.Namespace, Cluster: c, Of: kube.Name(hc),
		own: client.MatchingLabels{hyperv1.InfraIDLabel: hc.Spec.InfraID}}, nil
}

// VMs are the options of a list that has this cluster's VMs, VMIs and launcher pods only.
func (s Site) VMs() []client.ListOption {
	opts := []client.ListOption{client.InNamespace(s.Namespace)}
	if s.own != nil {
		opts = append(opts, s.own)
	}
	return opts
}

// Dial opens a stream to a subresource of a VM, as subresource.Dial does. management is the configuration of the
// management cluster.
func (s Site) Dial(ctx context.Context, management *rest.Config, vm, name string) (io.ReadWriteCloser, error) {
	if s.Cluster == nil {
		return subresource.Dial(ctx, management, s.Namespace, vm, name)
	}
	stream, err := subresource.Dial(ctx, s.Cluster.Config(), s.Namespace, vm, name)
	if err != nil {
		return nil, &NotReachedError{Of: s.Of, Namespace: s.Namespace, Err: err, Consoles: true}
	}
	return stream, nil
}
