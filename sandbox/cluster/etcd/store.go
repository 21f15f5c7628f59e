// Package etcd runs the etcd that all API servers of a sandbox share.
package etcd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/hcctl/hcctl/sandbox/cluster/pki"
)

// Store is the etcd that all API servers of a sandbox share, each under its own prefix. It runs in this process.
type Store struct {
	etcd   *embed.Etcd
	client *clientv3.Client
	// Endpoint is its URL; CA, Cert and Key are the files a client needs.
	Endpoint, CA, Cert, Key string
}

// Start runs etcd on a free loopback port, with its data in dir. It never syncs to disk, because its data ends with the
// sandbox.
func Start(ctx context.Context, dir, logFile string) (*Store, error) {
	s := &Store{
		CA: filepath.Join(dir, "pki", "ca.crt"), Cert: filepath.Join(dir, "pki", "etcd.crt"),
		Key: filepath.Join(dir, "pki", "etcd.key"),
	}
	tlsConfig, err := s.makeCertificates(filepath.Join(dir, "pki"))
	if err != nil {
		return nil, err
	}
	cfg, err := s.config(dir, logFile)
	if err != nil {
		return nil, err
	}
	if s.etcd, err = embed.StartEtcd(cfg); err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-s.etcd.Server.ReadyNotify():
	case err := <-s.etcd.Err():
		s.etcd.Close()
		return nil, fmt.Errorf("start etcd: %w", err)
	case <-ctx.Done():
		s.etcd.Close()
		return nil, fmt.Errorf("start etcd: %w", ctx.Err())
	}
	s.Endpoint = "https://" + s.etcd.Clients[0].Addr().String()
	s.client, err = clientv3.New(clientv3.Config{
		Endpoints: []string{s.Endpoint}, TLS: tlsConfig, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
	})
	if err != nil {
		s.etcd.Close()
		return nil, fmt.Errorf("reach etcd: %w", err)
	}
	return s, nil
}

func (s *Store) makeCertificates(dir string) (*tls.Config, error) {
	ca, err := pki.NewAuthority("etcd-ca")
	if err != nil {
		return nil, err
	}
	pair, err := ca.Issue("etcd", nil, []string{"localhost", pki.Loopback})
	if err != nil {
		return nil, err
	}
	if err := pki.WriteFiles(dir, map[string][]byte{"ca.crt": ca.PEM, "etcd.crt": pair.Cert,
		"etcd.key": pair.Key}); err != nil {
		return nil, err
	}
	cert, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		return nil, fmt.Errorf("load etcd certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca.Cert)
	return &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

func (s *Store) config(dir, logFile string) (*embed.Config, error) {
	client, err := url.Parse("https://" + pki.Loopback + ":0")
	if err != nil {
		return nil, err
	}
	peer, err := url.Parse("http://" + pki.Loopback + ":0")
	if err != nil {
		return nil, err
	}
	cfg := embed.NewConfig()
	cfg.Name = "sandbox"
	cfg.Dir = filepath.Join(dir, "data")
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.ClientTLSInfo = transport.TLSInfo{CertFile: s.Cert, KeyFile: s.Key, TrustedCAFile: s.CA, ClientCertAuth: true}
	cfg.UnsafeNoFsync = true
	cfg.LogLevel = "error"
	cfg.EnableGRPCGateway = false
	cfg.LogOutputs = []string{logFile}
	// The defaults suit a cluster of machines. Here the first write would wait for a tick of 100 ms.
	cfg.TickMs, cfg.ElectionMs = 10, 100
	cfg.QuotaBackendBytes = 1 << 30
	cfg.SnapshotCount = 5000
	return cfg, nil
}

// DeletePrefix removes all keys under prefix, which must not be empty.
func (s *Store) DeletePrefix(ctx context.Context, prefix string) error {
	if prefix == "" {
		return errors.New("refusing to delete all of etcd")
	}
	if _, err := s.client.Delete(ctx, prefix, clientv3.WithPrefix()); err != nil {
		return fmt.Errorf("delete %s from etcd: %w", prefix, err)
	}
	return nil
}

// Close ends etcd.
func (s *Store) Close() {
	_ = s.client.Close()
	// Close waits for client connections, and stopping the server first would hang watchers. So both are closed here.
	s.etcd.Close()
}
