// Package subresource opens streams to subresources of KubeVirt's virtual machines, like virtctl, and to ports of pods,
// like kubectl port-forward.
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

// Dial opens a stream to a subresource of a VirtualMachineInstance, such as "console" or "portforward/22/tcp". It
// returns the API server's error, for example for a missing permission (get of virtualmachineinstances/portforward in
// subresources.kubevirt.io). The stream closes when ctx ends.
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

// stream joins the messages of a WebSocket to a byte stream. One goroutine may read while another writes.
type stream struct {
	*gorilla.Conn
	message io.Reader
	// channels is set if the first byte of a message is a channel number, see open.
	channels *channels
}

// Read implements io.Reader. It returns io.EOF if the server closed the connection.
func (s *stream) Read(p []byte) (int, error) {
	for {
		if s.message == nil {
			_, r, err := s.NextReader()
			if err != nil {
				return 0, asEOF(err)
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

// asEOF returns io.EOF if the server closed the connection, with or without a close message: virt-api does both.
func asEOF(err error) error {
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

// Copy copies bytes between a stream and the program's input and output until the stream ends, and returns the error of
// the stream. The end of the input does not end it, because the server may still send.
func Copy(stream io.ReadWriter, in io.Reader, out io.Writer) error {
	// The goroutine runs until the program ends: a read of standard input cannot be interrupted.
	go func() { _, _ = io.Copy(stream, in) }()
	_, err := io.Copy(out, stream)
	return err
}
