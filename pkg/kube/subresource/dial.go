// Package subresource opens streams to subresources of KubeVirt's virtual machines, as virtctl does, and to ports of
// pods, as kubectl port-forward does.
package subresource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	gorilla "github.com/gorilla/websocket"
	"k8s.io/client-go/rest"
)

// Protocol is the WebSocket subprotocol of a stream without channels (kubevirt.io/client-go v1.8, subresources).
const Protocol = "plain.kubevirt.io"

// Dial opens a stream to a subresource of a VirtualMachineInstance, such as "console" or "portforward/22/tcp". It fails
// with the API server's error, such as for a missing permission (get of virtualmachineinstances/portforward in
// subresources.kubevirt.io). The end of ctx closes the stream.
func Dial(ctx context.Context, cfg *rest.Config, namespace, instance, subresource string) (io.ReadWriteCloser, error) {
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	at := base.JoinPath("apis/subresources.kubevirt.io/v1/namespaces", namespace, "virtualmachineinstances", instance,
		subresource)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	connection, err := upgrade(cfg, request, Protocol)
	if err != nil {
		return nil, fmt.Errorf("VirtualMachineInstance %s/%s, %s: %w", namespace, instance, subresource, err)
	}
	context.AfterFunc(ctx, func() { _ = connection.Close() })
	return &stream{Conn: connection}, nil
}

// stream is the bytes of a WebSocket's messages, whatever their borders. One may read while another writes.
type stream struct {
	*gorilla.Conn
	message io.Reader
	// channels is set where the first byte of a message says what it is for, see open.
	channels *channels
}

// Read implements io.Reader. A connection that the other side closed has ended.
func (s *stream) Read(p []byte) (int, error) {
	for {
		if s.message == nil {
			_, r, err := s.NextReader()
			if err != nil {
				return 0, ended(err)
			}
			if err := s.channels.open(r); err != nil {
				return 0, err
			}
			s.message = r
		}
		n, err := s.message.Read(p)
		if errors.Is(err, io.EOF) {
			s.message = nil
			if n == 0 {
				continue
			}
			err = nil
		}
		return n, err
	}
}

// ended is io.EOF for a connection that the other side has closed, with or without saying so: virt-api does both.
func ended(err error) error {
	if gorilla.IsCloseError(err, gorilla.CloseNormalClosure, gorilla.CloseGoingAway, gorilla.CloseNoStatusReceived,
		gorilla.CloseAbnormalClosure) {
		return io.EOF
	}
	return err
}

// Write implements io.Writer with one message.
func (s *stream) Write(p []byte) (int, error) {
	message, err := s.NextWriter(gorilla.BinaryMessage)
	if err != nil {
		return 0, err
	}
	if s.channels != nil {
		if _, err := message.Write([]byte{dataChannel}); err != nil {
			return 0, err
		}
	}
	n, err := message.Write(p)
	if err != nil {
		return n, err
	}
	return n, message.Close()
}

// Copy passes bytes between a stream and the program's input and output until the stream ends. It fails with the error
// of the stream; the end of the input alone ends nothing, as the other side may go on.
func Copy(stream io.ReadWriter, in io.Reader, out io.Writer) error {
	// It ends with the program: nothing ends a read of standard input.
	go func() { _, _ = io.Copy(stream, in) }()
	_, err := io.Copy(out, stream)
	return err
}
