package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/subresource"
)

const (
	// apiServer is the name of the API server's Deployment and container, and the app label of its pods.
	apiServer = "kube-apiserver"
	// apiPort is the name of the API server's port. defaultPort is its number in HyperShift's own Deployment.
	apiPort     = "client"
	defaultPort = 6443
	// maxPods is the maximum number of pods that are tried for one connection.
	maxPods = 3
	// dialTimeout limits the connecting for one connection that a listener forwards.
	dialTimeout = 15 * time.Second
	// maxConnections is the maximum number of connections that a listener forwards at the same time.
	maxConnections = 256
)

// Tunnel connects to the API server of a hosted cluster through that of its management cluster: to the port of a pod of
// the control plane. It has no credentials of the hosted cluster. Any user who can create pods in the control plane's
// namespace may answer at its end, so callers must verify the certificate before they send credentials.
type Tunnel struct {
	management *kube.Client
	namespace  string
	mu         sync.Mutex
}

// NewTunnel returns a tunnel to a hosted cluster without sending a request. r is for the management cluster.
func NewTunnel(r kube.Reader, of client.ObjectKey) *Tunnel {
	return &Tunnel{management: r.Live(), namespace: hostedcluster.ControlPlaneNamespace(of.Namespace, of.Name)}
}

// Dial connects to the first ready pod that accepts the connection. ctx limits only the connecting.
func (t *Tunnel) Dial(ctx context.Context) (net.Conn, error) {
	// Concurrent requests share the first connection.
	t.mu.Lock()
	defer t.mu.Unlock()
	list := &corev1.PodList{}
	err := t.management.List(ctx, list, client.InNamespace(t.namespace), client.MatchingLabels{"app": apiServer})
	if err != nil {
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

// Try opens and closes one connection.
func (t *Tunnel) Try(ctx context.Context) error {
	conn, err := t.Dial(ctx)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Serve forwards each connection of a listener until ctx ends, then closes them. It adds no credentials. A connection
// beyond maxConnections waits. failed is called concurrently, with the reason why a connection was not forwarded.
func (t *Tunnel) Serve(ctx context.Context, l net.Listener, failed func(error)) {
	context.AfterFunc(ctx, func() { _ = l.Close() })
	slots := make(chan struct{}, maxConnections)
	for {
		slots <- struct{}{}
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { <-slots }()
			if err := t.forward(ctx, conn); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}()
	}
}

// forward copies between a connection and a new one to the API server until either ends. It returns an error if the new
// one cannot be opened.
func (t *Tunnel) forward(ctx context.Context, conn net.Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	dialing, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	far, err := t.Dial(dialing)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = far.Close() })
	go func() {
		defer cancel()
		_, _ = io.Copy(far, conn)
	}()
	_, _ = io.Copy(conn, far)
	return nil
}

// portOf returns the port of the API server in a pod.
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

// TunnelRemedy returns what a user can do about an error of a Tunnel, or "" if the user can only wait.
func TunnelRemedy(err error, of client.ObjectKey) hint.Text {
	if kube.IsNotPermitted(err) {
		return hint.New("a role that may: %s", hint.Run("rbac").Flag("for", "tunnel").Flag("namespace", of.Namespace).
			Flag("cluster-name", of.Name))
	}
	return hint.Run("status", hostedcluster.Argument(of.Namespace, of.Name)).Text()
}

// Reached returns, for a message, how a hosted API server was reached other than by its address, or "". r is for the
// management cluster.
func Reached(r kube.Reader, of client.ObjectKey) string {
	taken, why := r.Live().DetourTo(of).Taken()
	switch {
	case !taken:
		return ""
	case why == nil:
		return "through the management cluster"
	}
	return "through the management cluster: from here " + kube.Explain(why)
}

// Answers returns the message that a hosted API server has answered, and how it was reached.
func Answers(r kube.Reader, of client.ObjectKey) string {
	return strings.TrimSuffix("the API server answers, "+Reached(r, of), ", ")
}
