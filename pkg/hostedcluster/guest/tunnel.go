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
	// apiServer is the name of the API server's Deployment and container, and the label app of its pods.
	apiServer = "kube-apiserver"
	// apiPort is the name of the port at which it listens, and defaultPort that of HyperShift's own Deployment.
	apiPort     = "client"
	defaultPort = 6443
	// maxPods bounds how many pods a connection is tried with.
	maxPods = 3
	// dialTimeout bounds the connecting of one connection that a listener passes on.
	dialTimeout = 15 * time.Second
	// maxConnections bounds the connections that a listener passes on at the same time.
	maxConnections = 256
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

// Try connects once.
func (t *Tunnel) Try(ctx context.Context) error {
	conn, err := t.Dial(ctx)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Serve passes each connection of a listener on until ctx ends, and closes them then. It adds no credentials. A
// connection beyond maxConnections waits. failed is told why one was not passed on, by many goroutines.
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
			if err := t.pass(ctx, conn); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}()
	}
}

// pass copies between a connection and a new one to the API server until either ends. It fails if there is no new one.
func (t *Tunnel) pass(ctx context.Context, conn net.Conn) error {
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

// TunnelRemedy is what a user can do about an error of a Tunnel; empty if there is nothing but to wait.
func TunnelRemedy(err error, of client.ObjectKey) hint.Text {
	if kube.IsNotPermitted(err) {
		return hint.New("a role that may: %s", hint.Run("rbac").Flag("for", "tunnel").Flag("namespace", of.Namespace).
			Flag("cluster-name", of.Name))
	}
	return hint.Run("status", hostedcluster.Argument(of.Namespace, of.Name)).Text()
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
	return "through the management cluster: from here " + kube.Explain(why)
}

// Answers says that a hosted API server has answered, and how it was reached.
func Answers(r kube.Reader, of client.ObjectKey) string {
	return strings.TrimSuffix("the API server answers, "+Reached(r, of), ", ")
}
