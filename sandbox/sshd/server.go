// Package sshd plays SSH servers, where a real one would run on a machine or in a pod: the real protocol with real
// keys, by golang.org/x/crypto/ssh. What a login does is played: a few commands, and files in memory.
package sshd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"time"

	"golang.org/x/crypto/ssh"
)

// Server is one SSH server.
type Server struct {
	// HostKey identifies it.
	HostKey ssh.Signer
	// User is the one who may log in, with a key of AuthorizedKeys, the content of such a file.
	User           string
	AuthorizedKeys []byte
	// Exec runs a command and returns its exit code. Nil means that there are no sessions.
	Exec func(command string, stdin io.Reader, stdout io.Writer) uint32
	// Forward connects to where a client wants to be forwarded to. Nil means that nothing is forwarded.
	Forward func(ctx context.Context, host string, port int) (net.Conn, error)
}

// handshakeTime bounds a login.
const handshakeTime = 30 * time.Second

// Serve serves one connection until it ends.
func (s Server) Serve(ctx context.Context, raw net.Conn) {
	defer raw.Close() //nolint:errcheck // it has ended
	config := &ssh.ServerConfig{ServerVersion: "SSH-2.0-sandbox", PublicKeyCallback: s.authorize}
	config.AddHostKey(s.HostKey)
	_ = raw.SetDeadline(time.Now().Add(handshakeTime))
	conn, channels, requests, err := ssh.NewServerConn(raw, config)
	if err != nil {
		return // the client has gone, or nobody let it in
	}
	_ = raw.SetDeadline(time.Time{})
	defer conn.Close() //nolint:errcheck // it has ended
	go ssh.DiscardRequests(requests)
	for channel := range channels {
		switch {
		case channel.ChannelType() == "session" && s.Exec != nil:
			go s.session(channel)
		case channel.ChannelType() == "direct-tcpip" && s.Forward != nil:
			go s.forward(ctx, channel)
		default:
			_ = channel.Reject(ssh.Prohibited, "administratively prohibited")
		}
	}
}

func (s Server) authorize(conn ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
	for rest := s.AuthorizedKeys; conn.User() == s.User && len(rest) > 0; {
		known, _, _, more, err := ssh.ParseAuthorizedKey(rest)
		if err != nil {
			break
		}
		if bytes.Equal(known.Marshal(), key.Marshal()) {
			return &ssh.Permissions{}, nil
		}
		rest = more
	}
	return nil, errors.New("permission denied (publickey)")
}

// session runs the command of one session.
func (s Server) session(asked ssh.NewChannel) {
	channel, requests, err := asked.Accept()
	if err != nil {
		return
	}
	defer channel.Close() //nolint:errcheck // it has ended
	for r := range requests {
		var command struct{ Text string }
		if r.Type != "exec" || ssh.Unmarshal(r.Payload, &command) != nil {
			_ = r.Reply(slices.Contains([]string{"env", "pty-req"}, r.Type), nil)
			continue
		}
		_ = r.Reply(true, nil)
		code := s.Exec(command.Text, channel, channel)
		_, _ = channel.SendRequest("exit-status", false, binary.BigEndian.AppendUint32(nil, code))
		return
	}
}

// forward connects a channel with where its client wants to be (RFC 4254, 7.2).
func (s Server) forward(ctx context.Context, asked ssh.NewChannel) {
	var to struct {
		Host       string
		Port       uint32
		Originator string
		From       uint32
	}
	if err := ssh.Unmarshal(asked.ExtraData(), &to); err != nil {
		_ = asked.Reject(ssh.ConnectionFailed, "malformed request")
		return
	}
	target, err := s.Forward(ctx, to.Host, int(to.Port))
	if err != nil {
		_ = asked.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	channel, requests, err := asked.Accept()
	if err != nil {
		_ = target.Close()
		return
	}
	go ssh.DiscardRequests(requests)
	Join(channel, target)
}

// Join passes bytes between two connections until one ends, and closes both.
func Join(a, b io.ReadWriteCloser) {
	done := make(chan struct{}, 2)
	pass := func(to, from io.ReadWriteCloser) {
		_, _ = io.Copy(to, from)
		done <- struct{}{}
	}
	go pass(a, b)
	go pass(b, a)
	<-done
	_ = a.Close()
	_ = b.Close()
}

// Refused is the error of a connection that nothing listens for, or that a policy drops.
func Refused(host string, port int) error {
	return fmt.Errorf("connect to %s: connection refused", net.JoinHostPort(host, strconv.Itoa(port)))
}
