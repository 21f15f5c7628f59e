// Package etcd runs the etcd that all API servers of a sandbox share.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/hcctl/hcctl/sandbox/cluster/pki"
)

// Store is the etcd that all API servers of a sandbox share, each under its own prefix. It runs in this process.
type Store struct {
	etcd   *embed.Etcd
	client *clientv3.Client
	// directory keeps the path of the socket short: the kernel takes no more than about a hundred bytes.
	directory *os.File
	// Endpoint is the URL of its socket, for processes of the same user.
	Endpoint string
}

// Start runs etcd with its data in dir. It never syncs to disk, because its data ends with the sandbox. It listens on a
// socket in dir, which only this user can enter: without TLS, each API server saves a hundred handshakes.
func Start(ctx context.Context, dir, logFile string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make directory for etcd: %w", err)
	}
	s := &Store{}
	var err error
	if s.directory, err = os.Open(dir); err != nil { // #nosec G304 -- the sandbox's own directory
		return nil, fmt.Errorf("open directory for etcd: %w", err)
	}
	s.Endpoint = fmt.Sprintf("unix:///proc/%d/fd/%d/client", os.Getpid(), s.directory.Fd())
	if err := s.start(ctx, dir, logFile); err != nil {
		_ = s.directory.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) start(ctx context.Context, dir, logFile string) error {
	cfg, err := s.config(dir, logFile)
	if err != nil {
		return err
	}
	if s.etcd, err = embed.StartEtcd(cfg); err != nil {
		return fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-s.etcd.Server.ReadyNotify():
	case err := <-s.etcd.Err():
		s.etcd.Close()
		return fmt.Errorf("start etcd: %w", err)
	case <-ctx.Done():
		s.etcd.Close()
		return fmt.Errorf("start etcd: %w", ctx.Err())
	}
	s.client, err = clientv3.New(clientv3.Config{
		Endpoints: []string{s.Endpoint}, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
	})
	if err != nil {
		s.etcd.Close()
		return fmt.Errorf("reach etcd: %w", err)
	}
	return nil
}

func (s *Store) config(dir, logFile string) (*embed.Config, error) {
	client, err := url.Parse(s.Endpoint)
	if err != nil {
		return nil, err
	}
	// Nobody looks at the advertised address of a client URL, and etcd takes no socket there.
	tcp, err := url.Parse("http://" + pki.Loopback + ":0")
	if err != nil {
		return nil, err
	}
	cfg := embed.NewConfig()
	cfg.Name = "sandbox"
	cfg.Dir = filepath.Join(dir, "data")
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*tcp}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*tcp}, []url.URL{*tcp}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.UnsafeNoFsync = true
	cfg.EnableGRPCGateway = false
	log, err := newLogger(logFile)
	if err != nil {
		return nil, err
	}
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(log)
	// The defaults suit a cluster of machines. Here the first write would wait for a tick of 100 ms.
	cfg.TickMs, cfg.ElectionMs = 10, 100
	cfg.QuotaBackendBytes = 1 << 30
	cfg.SnapshotCount = 5000
	return cfg, nil
}

// newLogger writes errors to the file. etcd ends the process after a fatal one, so stderr gets that too.
func newLogger(file string) (*zap.Logger, error) {
	cfg := zap.NewProductionConfig()
	cfg.Level, cfg.Sampling = zap.NewAtomicLevelAt(zap.ErrorLevel), nil
	cfg.OutputPaths, cfg.ErrorOutputPaths = []string{file}, []string{file}
	fatal := zapcore.NewCore(zapcore.NewConsoleEncoder(cfg.EncoderConfig), zapcore.Lock(os.Stderr), zap.DPanicLevel)
	log, err := cfg.Build(zap.WrapCore(func(c zapcore.Core) zapcore.Core { return zapcore.NewTee(c, fatal) }))
	if err != nil {
		return nil, fmt.Errorf("open log of etcd: %w", err)
	}
	return log.Named("etcd"), nil
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

// Wait waits until ctx ends. It returns an error if etcd ends before.
func (s *Store) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.etcd.Err():
		return err
	case <-s.etcd.Server.StopNotify():
		return errors.New("it has stopped")
	}
}

// Close ends etcd.
func (s *Store) Close() {
	_ = s.client.Close()
	// Close waits for client connections, and stopping the server first would hang watchers. So both are closed here.
	s.etcd.Close()
	_ = s.directory.Close()
}
