package subresource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// PodProtocol is the WebSocket subprotocol of a pod's portforward subresource (k8s.io/cri-streaming v0.36,
// portforward/websocket.go). It has a data channel and an error channel per port.
const PodProtocol = "v4.channel.k8s.io"

// The channel numbers of the first port, in the first byte of each message.
const (
	dataChannel = iota
	errorChannel
)

// DialPod connects to a port of a pod through the API server. It returns the API server's error, for example for a
// missing permission (get and, since Kubernetes 1.35, create of pods/portforward). ctx limits only the connecting.
func DialPod(ctx context.Context, cfg *rest.Config, namespace, pod string, port int32) (net.Conn, error) {
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	at := base.JoinPath("api/v1/namespaces", namespace, "pods", pod, "portforward")
	at.RawQuery = url.Values{"ports": {strconv.Itoa(int(port))}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	connection, err := upgrade(cfg, request, PodProtocol)
	if err != nil {
		return nil, fmt.Errorf("port %d of pod %s/%s: %w", port, namespace, pod, err)
	}
	return &podConn{stream{Conn: connection, channels: &channels{}}}, nil
}

// podConn is a stream to a pod as a net.Conn.
type podConn struct{ stream }

// SetDeadline implements net.Conn.
func (c *podConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// channels reads the header of each message. The first message of each channel contains only the port number.
type channels struct{ begun [2]bool }

// open reads the header, so that r has only the bytes of the port. It returns the message of the error channel as an
// error.
func (c *channels) open(r io.Reader) error {
	if c == nil {
		return nil
	}
	var head [1]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || head[0] > errorChannel {
		return errors.New("the API server's stream has a message of no channel")
	}
	begun := c.begun[head[0]]
	c.begun[head[0]] = true
	if head[0] == dataChannel && begun {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(r, maxAnswer))
	if err == nil && begun {
		err = fmt.Errorf("the pod does not take the connection: %s", sanitize.Line(string(text)))
	}
	return err
}
