package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// Line is a slow connection to an API server: it forwards TCP connections and adds a round trip time. It does not
// interpret TLS or HTTP, so every round trip of a client costs time: connecting, the handshake, a request.
type Line struct {
	// Kubeconfig is the path of a copy of the kubeconfig whose current cluster is connected through the line.
	Kubeconfig string

	target    string
	roundTrip time.Duration
	listener  net.Listener
	conns     connections
	done      sync.WaitGroup
}

// StartLine listens on a free loopback port for the server of kubeconfig, until Close. It writes to dir, an existing
// directory.
func StartLine(ctx context.Context, kubeconfig, dir string, roundTrip time.Duration) (*Line, error) {
	cfg, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("line: %w", err)
	}
	current, ok := cfg.Contexts[cfg.CurrentContext]
	if !ok || cfg.Clusters[current.Cluster] == nil {
		return nil, fmt.Errorf("line: %s has no current cluster", kubeconfig)
	}
	cluster := cfg.Clusters[current.Cluster]
	server, err := url.Parse(cluster.Server)
	if err != nil {
		return nil, fmt.Errorf("line: %w", err)
	}
	l := &Line{Kubeconfig: filepath.Join(dir, "kubeconfig"), target: server.Host, roundTrip: roundTrip,
		conns: connections{open: map[*conn]bool{}}}
	if l.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("line: %w", err)
	}
	if cluster.TLSServerName == "" {
		cluster.TLSServerName = server.Hostname()
	}
	server.Host = l.listener.Addr().String()
	cluster.Server = server.String()
	data, err := clientcmd.Write(*cfg)
	if err == nil {
		err = os.WriteFile(l.Kubeconfig, data, 0o600) //nolint:forbidigo // for tests; no process reads it before
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("line: %w", err), l.listener.Close())
	}
	l.done.Go(l.accept)
	return l, nil
}

// URL returns the address of the line.
func (l *Line) URL() string { return "https://" + l.listener.Addr().String() }

// Close closes all connections and returns when all forwarding has ended.
func (l *Line) Close() error {
	err := l.listener.Close()
	for _, c := range l.conns.all() {
		_ = c.Close()
	}
	l.done.Wait()
	return err
}

func (l *Line) accept() {
	accepted := &listener{Listener: l.listener, conns: &l.conns}
	for {
		client, err := accepted.Accept()
		if err != nil {
			return
		}
		l.done.Go(func() { l.forward(client) })
	}
}

// forward connects a client to the server.
func (l *Line) forward(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", l.target) //nolint:noctx // loopback
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	var both sync.WaitGroup
	// The client's kernel was connected at once, so its first bytes are delayed by the round trip of the connect.
	both.Go(func() { l.carry(server, client, l.roundTrip) })
	both.Go(func() { l.carry(client, server, 0) })
	both.Wait()
}

// piece is the data of one read, and the time of its arrival.
type piece struct {
	data []byte
	due  time.Time
}

// maxInFlight is the maximum number of pieces in transit in one direction.
const maxInFlight = 4096

// carry forwards one direction. Each piece arrives half a round trip after it was sent; the first ones also wait for
// the time connected.
func (l *Line) carry(to, from net.Conn, connected time.Duration) {
	earliest := time.Now().Add(connected + l.roundTrip/2)
	pieces := make(chan piece, maxInFlight)
	go func() {
		defer close(pieces)
		for {
			buffer := make([]byte, 32<<10)
			n, err := from.Read(buffer)
			due := time.Now().Add(l.roundTrip / 2)
			if due.Before(earliest) {
				due = earliest
			}
			pieces <- piece{buffer[:n], due}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.due)) //nolint:forbidigo // the delay is what this relay is for
		if _, err := to.Write(p.data); err != nil {
			_ = from.Close()
		}
	}
	// The other direction may still have data in transit.
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	} else {
		_ = to.Close()
	}
}
