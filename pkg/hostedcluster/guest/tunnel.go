package guest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/subresource"
)

const (
	// apiServer is the name of the API server's Deployment and container, and the label app of its pods.
	apiServer = "kube-apiserver"
	// apiPort is the name of the port at which it listens, and defaultPort that of HyperShift's own Deployment.
	apiPort     = "client"
	defaultPort = 6443
	// maxPods bounds how many pods a connection is tried with.
	maxPods = 3
)

// Tunnel connects to the API server of a hosted cluster through that of its management cluster: to the port of a pod of
// the control plane. It has no credentials of the hosted cluster. Whoever can create pods in the control plane's
// namespace may answer at its end, so its users check the certificate before they send any.
type Tunnel struct {
	management *kube.Client
	namespace  string
	mu         sync.Mutex
}

// NewTunnel returns a tunnel to a hosted cluster, and sends no request. r is for the management cluster.
func NewTunnel(r kube.Reader, of client.ObjectKey) *Tunnel {
	return &Tunnel{management: r.Live(), namespace: hostedcluster.ControlPlaneNamespace(of.Namespace, of.Name)}
}

// Dial connects to the first ready pod that takes the connection. ctx bounds the connecting alone.
func (t *Tunnel) Dial(ctx context.Context) (net.Conn, error) {
	// Requests that begin together share the first connection.
	t.mu.Lock()
	defer t.mu.Unlock()
	list := &corev1.PodList{}
	if err := t.management.List(ctx, list, client.InNamespace(t.namespace), client.MatchingLabels{"app": apiServer}); err != nil {
		return nil, fmt.Errorf("pods of %s in namespace %s: %w", apiServer, t.namespace, err)
	}
	var failed []error
	for i := range list.Items {
		pod := &list.Items[i]
		if !health.PodReady(pod) || pod.DeletionTimestamp != nil || len(validation.IsDNS1123Subdomain(pod.Name)) > 0 {
			continue
		}
		conn, err := subresource.DialPod(ctx, t.management.Config(), t.namespace, pod.Name, portOf(pod))
		if err == nil {
			return conn, nil
		}
		if failed = append(failed, err); len(failed) == maxPods || kube.IsNotPermitted(err) {
			break
		}
	}
	if len(failed) == 0 {
		return nil, fmt.Errorf("no pod of %s in namespace %s is ready", apiServer, t.namespace)
	}
	return nil, errors.Join(failed...)
}

// portOf is the port at which the API server of a pod listens.
func portOf(pod *corev1.Pod) int32 {
	for i := range pod.Spec.Containers {
		for _, port := range pod.Spec.Containers[i].Ports {
			if pod.Spec.Containers[i].Name == apiServer && port.Name == apiPort {
				return port.ContainerPort
			}
		}
	}
	return defaultPort
}

// Reached says how a hosted API server was reached if not by its address, for a message; else it is empty. r is for the
// management cluster.
func Reached(r kube.Reader, of client.ObjectKey) string {
	taken, why := r.Live().DetourTo(of).Taken()
	switch {
	case !taken:
		return ""
	case why == nil:
		return "through the management cluster"
	}
	return "through the management cluster: from here " + strings.Replace(kube.Explain(why), "the API server", "its address", 1)
}

// Answers says that a hosted API server has answered, and how it was reached.
func Answers(r kube.Reader, of client.ObjectKey) string {
	return strings.TrimSuffix("the API server answers, "+Reached(r, of), ", ")
}
