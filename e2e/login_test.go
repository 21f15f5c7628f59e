package e2e

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh"
)

// keygenCommand: keygen FILE makes a pair of SSH keys, FILE and FILE.pub. keygen FILE BASE64 writes a private key that
// there is.
func keygenCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: keygen FILE [BASE64]")
	}
	path := ts.MkAbs(args[0])
	if len(args) == 2 {
		private, err := base64.StdEncoding.DecodeString(args[1])
		ts.Check(err)
		ts.Check(os.WriteFile(path, private, 0o600))
		return
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	ts.Check(err)
	block, err := ssh.MarshalPrivateKey(private, "e2e")
	ts.Check(err)
	ts.Check(os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	signer, err := ssh.NewSignerFromKey(private)
	ts.Check(err)
	ts.Check(os.WriteFile(path+".pub", ssh.MarshalAuthorizedKey(signer.PublicKey()), 0o600))
}

// loginCommand: login [-jump ADDRESS:PORT -jumpkey FILE -known LINE] -key FILE HOST COMMAND
//
// logs in to a node and runs a command, in Go, so that it needs no ssh on this machine: through the jump host, whose
// host key has to be the one of -known (a line as in known_hosts), else as hcctl ssh does, through hcctl ssh-proxy.
// With ! it must be refused.
func loginCommand(ts *testscript.TestScript, neg bool, args []string) {
	f := flag.NewFlagSet("login", flag.ContinueOnError)
	jump, jumpKey := f.String("jump", "", ""), f.String("jumpkey", "", "")
	known, key := f.String("known", "", ""), f.String("key", "", "")
	if err := f.Parse(args); err != nil || f.NArg() != 2 {
		ts.Fatalf("usage: login [-jump ADDRESS:PORT -jumpkey FILE -known LINE] -key FILE HOST COMMAND")
	}
	l := login{ts: ts}
	defer l.end()
	out, err := l.run(*jump, *jumpKey, *known, *key, f.Arg(0), f.Arg(1))
	switch {
	case neg && err == nil:
		ts.Fatalf("it was let in, and got %q", out)
	case neg:
		_, _ = fmt.Fprintln(ts.Stderr(), err)
		return
	}
	ts.Check(err)
	_, _ = io.WriteString(ts.Stdout(), out)
}

type login struct {
	ts    *testscript.TestScript
	close []func()
}

func (l *login) end() {
	for _, c := range l.close {
		c()
	}
}

// loginTime bounds a login.
const loginTime = 30 * time.Second

func (l *login) config(user, keyFile string, hostKey ssh.HostKeyCallback) (*ssh.ClientConfig, error) {
	data, err := os.ReadFile(l.ts.MkAbs(keyFile))
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(data)
	return &ssh.ClientConfig{User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: hostKey,
		Timeout: loginTime}, err
}

func (l *login) run(jump, jumpKey, known, key, host, command string) (string, error) {
	conn, err := l.dial(jump, jumpKey, known, host)
	if err != nil {
		return "", err
	}
	l.close = append(l.close, func() { _ = conn.Close() })
	config, err := l.config("core", key, func(string, net.Addr, ssh.PublicKey) error { return nil })
	if err != nil {
		return "", err
	}
	client, channels, requests, err := ssh.NewClientConn(conn, host, config)
	if err != nil {
		return "", fmt.Errorf("log in to %s: %w", host, err)
	}
	session, err := ssh.NewClient(client, channels, requests).NewSession()
	if err != nil {
		return "", err
	}
	out, err := session.Output(command)
	return string(out), err
}

// dial connects to port 22 of a node.
func (l *login) dial(jump, jumpKey, known, host string) (net.Conn, error) {
	if jump == "" {
		return l.proxy(host)
	}
	_, _, expected, _, _, err := ssh.ParseKnownHosts([]byte(known))
	if err != nil {
		return nil, fmt.Errorf("known host %q: %w", known, err)
	}
	config, err := l.config("jump", jumpKey, ssh.FixedHostKey(expected))
	if err != nil {
		return nil, err
	}
	client, err := ssh.Dial("tcp", jump, config)
	if err != nil {
		return nil, fmt.Errorf("log in to the jump host: %w", err)
	}
	l.close = append(l.close, func() { _ = client.Close() })
	if session, err := client.NewSession(); err == nil {
		_ = session.Close()
		return nil, errors.New("the jump host gives a session")
	}
	return client.Dial("tcp", host)
}

// proxy runs what ssh runs as its ProxyCommand.
func (l *login) proxy(host string) (net.Conn, error) {
	program := filepath.Join(filepath.SplitList(l.ts.Getenv("PATH"))[0], "hcctl")
	cmd := exec.Command(program, "ssh-proxy", host, "22") //nolint:noctx // it ends with its input
	for _, name := range []string{"KUBECONFIG", "HOME", "PATH"} {
		cmd.Env = append(cmd.Env, name+"="+l.ts.Getenv(name))
	}
	said := &strings.Builder{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	l.close = append(l.close, func() {
		_, _ = cmd.Process.Kill(), cmd.Wait()
		l.ts.Logf("%s", said)
	})
	return pipes{in, out}, nil
}

// pipes are the input and output of a program as a connection.
type pipes struct {
	io.WriteCloser
	out io.ReadCloser
}

func (p pipes) Read(b []byte) (int, error)     { return p.out.Read(b) }
func (pipes) LocalAddr() net.Addr              { return &net.UnixAddr{} }
func (pipes) RemoteAddr() net.Addr             { return &net.UnixAddr{} }
func (pipes) SetDeadline(time.Time) error      { return nil }
func (pipes) SetReadDeadline(time.Time) error  { return nil }
func (pipes) SetWriteDeadline(time.Time) error { return nil }
func (p pipes) Close() error                   { return errors.Join(p.WriteCloser.Close(), p.out.Close()) }
