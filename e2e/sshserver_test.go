package e2e

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh"
)

// sshServerCommand: sshserver VARIABLE KEY
//
// starts an SSH server on loopback until the script ends, with a host key of its own, and sets the variable to its
// address. It takes user core with the public key in the file KEY alone, runs commands in the script's folder, and
// stands for the sshd of a worker VM: no machine runs in a sandbox.
func sshServerCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sshserver VARIABLE KEY")
	}
	allowed, _, _, _, err := ssh.ParseAuthorizedKey([]byte(ts.ReadFile(args[1])))
	ts.Check(err)
	config := &ssh.ServerConfig{PublicKeyCallback: func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if c.User() != "core" || string(key.Marshal()) != string(allowed.Marshal()) {
			return nil, errors.New("not this key")
		}
		return nil, nil
	}}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	ts.Check(err)
	signer, err := ssh.NewSignerFromKey(private)
	ts.Check(err)
	config.AddHostKey(signer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
	work := ts.MkAbs(".")
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveSSH(conn, config, work)
		}
	}()
	ts.Setenv(args[0], listener.Addr().String())
}

// serveSSH serves one connection.
func serveSSH(conn net.Conn, config *ssh.ServerConfig, work string) {
	server, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		_ = conn.Close()
		return
	}
	defer func() { _ = server.Close() }()
	go ssh.DiscardRequests(requests)
	for asked := range channels {
		switch asked.ChannelType() {
		case "session":
			channel, requests, err := asked.Accept()
			if err == nil {
				go serveSession(channel, requests, work)
			}
		case "direct-tcpip":
			serveForward(asked)
		default:
			_ = asked.Reject(ssh.UnknownChannelType, "no such channel")
		}
	}
}

// serveSession runs the command of a session.
func serveSession(channel ssh.Channel, requests <-chan *ssh.Request, work string) {
	defer func() { _ = channel.Close() }()
	for r := range requests {
		if r.Type != "exec" {
			_ = r.Reply(r.Type == "env" || r.Type == "pty-req", nil)
			continue
		}
		var command struct{ Line string }
		if err := ssh.Unmarshal(r.Payload, &command); err != nil {
			return
		}
		_ = r.Reply(true, nil)
		run := exec.Command("/bin/sh", "-c", command.Line)
		run.Dir, run.Env = work, append(os.Environ(), "NODE=1")
		run.Stdin, run.Stdout, run.Stderr = channel, channel, channel.Stderr()
		status := struct{ Code uint32 }{}
		var failed *exec.ExitError
		if err := run.Run(); errors.As(err, &failed) {
			status.Code = uint32(failed.ExitCode()) //nolint:gosec // an exit code is below 256
		}
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(status))
		return
	}
}

// serveForward answers a forwarded connection with where it was to go.
func serveForward(asked ssh.NewChannel) {
	var to struct {
		Host       string
		Port       uint32
		Originator string
		From       uint32
	}
	if err := ssh.Unmarshal(asked.ExtraData(), &to); err != nil {
		_ = asked.Reject(ssh.ConnectionFailed, "not understood")
		return
	}
	channel, requests, err := asked.Accept()
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	_, _ = strings.NewReader("forwarded to " + to.Host).WriteTo(channel)
	_ = channel.Close()
}
