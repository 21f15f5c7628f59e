package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
)

// offline are the commands that ask no cluster.
var offline = []struct {
	id   string
	args []string
}{
	{"start.version", []string{"version"}},
	{"start.help", []string{"--help"}},
	{"start.completion", []string{"completion", "bash"}},
	{"start.tab", []string{"__complete", "create", "cluster", "--"}},
}

// start measures how long hcctl takes to begin at all, and proves that it asks no cluster: its kubeconfig leads to a listener here.
func (b *bench) start(ctx context.Context) error {
	trap, err := newTrap()
	if err != nil {
		return err
	}
	defer trap.close()
	for range b.runs {
		for _, c := range offline {
			e, err := run(ctx, trap.env, b.hcctl, c.args...)
			if err != nil {
				return err
			}
			b.record(c.id+".time", ms(e.took))
			b.record(c.id+".memory", e.resident)
		}
	}
	b.record("start.contacts", float64(trap.connections.Load()))
	return nil
}

// renderArgs make a cluster's manifests of nothing but flags.
func renderArgs(dir string) ([]string, error) {
	secret := filepath.Join(dir, "pull-secret.json")
	err := os.WriteFile(secret, []byte(`{"auths":{"registry.example.com":{"auth":"YmVuY2g6YmVuY2g="}}}`), 0o600)
	return []string{"create", "cluster", "--name", "bench", "--pull-secret", secret, "--release-image", "registry.example.com/release:4.20.3-x86_64", "--render"}, err
}

// render measures the manifests of a cluster on standard output.
func (b *bench) render(ctx context.Context) error {
	trap, err := newTrap()
	if err != nil {
		return err
	}
	defer trap.close()
	args, err := renderArgs(trap.dir)
	if err != nil {
		return err
	}
	for range b.runs {
		e, err := run(ctx, trap.env, b.hcctl, args...)
		if err != nil {
			return err
		}
		b.record("render.time", ms(e.took))
		b.record("render.memory", e.resident)
	}
	b.record("render.contacts", float64(trap.connections.Load()))
	return nil
}

// trap is a listener that a kubeconfig leads to. It counts who connects, and hangs up.
type trap struct {
	connections atomic.Int64
	env         []string
	dir         string
	listener    net.Listener
	ended       chan struct{}
}

func newTrap() (*trap, error) {
	dir, err := os.MkdirTemp("", "hcctl-bench")
	if err != nil {
		return nil, err
	}
	t := &trap{dir: dir, ended: make(chan struct{})}
	if t.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil { //nolint:noctx // close ends it
		_ = os.RemoveAll(dir)
		return nil, err
	}
	path := filepath.Join(dir, "kubeconfig")
	t.env = []string{"KUBECONFIG=" + path}
	go func() {
		defer close(t.ended)
		for {
			c, err := t.listener.Accept()
			if err != nil {
				return
			}
			t.connections.Add(1)
			_ = c.Close()
		}
	}()
	content := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: trap, users: [{name: trap}],
clusters: [{name: trap, cluster: {server: "http://%s"}}], contexts: [{name: trap, context: {cluster: trap, user: trap}}]}
`, t.listener.Addr())
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *trap) close() {
	_ = t.listener.Close()
	<-t.ended
	_ = os.RemoveAll(t.dir)
}
