package kubelet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/sshd"
)

// apiServer is the name of the Service of a hosted API server, and the label app of its pods.
const apiServer = "kube-apiserver"

// answerPortForward connects to a port of a pod as a kubelet does.
func answerPortForward(w http.ResponseWriter, r *http.Request, c client.Client) {
	pod := &corev1.Pod{}
	key := types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("pod")}
	if err := c.Get(r.Context(), key, pod); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	options, err := portforward.NewV4Options(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	portforward.ServePortForward(w, r, forwarder{c, pod}, pod.Name, string(pod.UID), options, execIdle, execStreams,
		portforward.SupportedProtocols)
}

// forwarder connects to the ports of a pod: of a hosted API server's, to where that listens.
type forwarder struct {
	client client.Client
	pod    *corev1.Pod
}

// PortForward implements portforward.PortForwarder.
func (f forwarder) PortForward(ctx context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	if f.pod.Labels["app"] != apiServer {
		return sshd.Refused(f.pod.Name, int(port))
	}
	conn, err := dialAPIServer(ctx, f.client, f.pod.Namespace, int(port))
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it has ended
	go func() {
		defer conn.Close() //nolint:errcheck // the client has ended
		_, _ = io.Copy(conn, stream)
	}()
	_, err = io.Copy(stream, conn)
	return err
}

// dialAPIServer connects to a hosted API server, at the address that its Service has on this machine.
func dialAPIServer(ctx context.Context, c client.Reader, namespace string, port int) (net.Conn, error) {
	service := &corev1.Service{}
	key := types.NamespacedName{Namespace: namespace, Name: apiServer}
	if err := c.Get(ctx, key, service); err != nil {
		return nil, fmt.Errorf("read Service %s: %w", key, err)
	}
	address, ok := loopbackAddress(service)
	if !ok {
		return nil, sshd.Refused(apiServer, port)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", address)
}
