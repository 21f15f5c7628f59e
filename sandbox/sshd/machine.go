package sshd

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"path"
	"strconv"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// machines are the files of the machines that somebody has logged in to, by the UID of their instance.
var machines sync.Map

// files are those of one machine, by path.
type files struct {
	mu      sync.Mutex
	content map[string][]byte
}

// Machine connects to the SSH server of a worker VM. Its host key follows from the UID of the instance, so that a VM
// that is made anew has another one. User core may log in with the keys that HyperShift hands to the nodes.
func Machine(ctx context.Context, c client.Reader, namespace, name string, uid types.UID) (net.Conn, error) {
	seed := sha256.Sum256([]byte("host key of " + uid))
	key, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		return nil, fmt.Errorf("host key of %s: %w", name, err)
	}
	authorized, err := nodeKeys(ctx, c, namespace)
	if err != nil {
		return nil, err
	}
	known, _ := machines.LoadOrStore(uid, &files{content: map[string][]byte{}})
	here, there := net.Pipe()
	s := Server{HostKey: key, User: "core", AuthorizedKeys: authorized,
		Exec: func(command string, stdin io.Reader, stdout io.Writer) uint32 {
			return known.(*files).run(name, command, bufio.NewReader(stdin), stdout)
		}}
	go s.Serve(context.WithoutCancel(ctx), there)
	return here, nil
}

// nodeKeys are the public keys of the nodes of the control plane in a namespace.
func nodeKeys(ctx context.Context, c client.Reader, namespace string) ([]byte, error) {
	planes := &hyperv1.HostedControlPlaneList{}
	if err := c.List(ctx, planes, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("control planes in namespace %s: %w", namespace, err)
	}
	var keys []byte
	for i := range planes.Items {
		secret := &corev1.Secret{}
		key := client.ObjectKey{Namespace: namespace, Name: planes.Items[i].Spec.SSHKey.Name}
		if err := c.Get(ctx, key, secret); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read Secret %s: %w", key, err)
		}
		keys = append(keys, secret.Data["id_rsa.pub"]...)
	}
	return keys, nil
}

// run runs the commands that a machine has: true, false, hostname, echo, cat, and scp in its old protocol.
func (f *files) run(host, command string, in *bufio.Reader, out io.Writer) uint32 {
	const failed, unknown = 1, 127
	words := strings.Fields(command)
	if len(words) == 0 {
		return unknown
	}
	var err error
	switch last := words[len(words)-1]; words[0] {
	case "true":
	case "false":
		return failed
	case "hostname":
		_, err = fmt.Fprintln(out, host)
	case "echo":
		_, err = fmt.Fprintln(out, strings.Join(words[1:], " "))
	case "cat":
		content, there := f.read(last)
		if !there {
			return failed
		}
		_, err = out.Write(content)
	case "scp":
		if err = f.copy(words, last, in, out); err != nil {
			_, _ = fmt.Fprintf(out, "\x01scp: %v\n", err)
		}
	default:
		return unknown
	}
	if err != nil {
		return failed
	}
	return 0
}

func (f *files) read(name string) ([]byte, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, there := f.content[path.Clean(name)]
	return content, there
}

// copy takes (-t) or gives (-f) one file, as rcp did.
func (f *files) copy(words []string, name string, in *bufio.Reader, out io.Writer) error {
	ok := func() error { _, err := out.Write([]byte{0}); return err }
	for _, word := range words[1:] {
		switch word {
		case "-t":
			if err := ok(); err != nil {
				return err
			}
			return f.take(name, in, ok)
		case "-f":
			content, there := f.read(name)
			if !there {
				return fmt.Errorf("%s: No such file or directory", name)
			}
			if _, err := in.ReadByte(); err != nil {
				return err
			}
			_, err := fmt.Fprintf(out, "C0644 %d %s\n", len(content), path.Base(name))
			if err == nil {
				_, err = in.ReadByte()
			}
			if err == nil {
				_, err = out.Write(append(content[:len(content):len(content)], 0))
			}
			if err == nil {
				_, err = in.ReadByte()
			}
			return err
		}
	}
	return fmt.Errorf("neither -t nor -f")
}

func (f *files) take(name string, in *bufio.Reader, ok func() error) error {
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		words := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if err != nil || len(words) != 3 || !strings.HasPrefix(line, "C") {
			return fmt.Errorf("%q is no file", line)
		}
		size, err := strconv.ParseUint(words[1], 10, 24)
		if err != nil {
			return err
		}
		content := make([]byte, size+1)
		if err := ok(); err != nil {
			return err
		}
		if _, err := io.ReadFull(in, content); err != nil {
			return err
		}
		f.mu.Lock()
		f.content[path.Clean(name)] = content[:size]
		f.mu.Unlock()
		if err := ok(); err != nil {
			return err
		}
	}
}
