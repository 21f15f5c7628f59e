package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/lease"
	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.uber.org/zap"
)

// Snapshot writes a snapshot that has the keys below prefix only, as if they were below as in an etcd of their own. It
// runs that etcd in the empty directory temp. It fails if there are no such keys.
func (s *Store) Snapshot(ctx context.Context, prefix, as, temp, logFile, target string) error {
	got, err := s.client.Get(ctx, prefix+"/", clientv3.WithPrefix())
	if err != nil {
		return fmt.Errorf("read etcd: %w", err)
	}
	if len(got.Kvs) == 0 {
		return errors.New("this hosted cluster is played in memory and has no etcd")
	}
	values := map[string][]byte{}
	for _, kv := range got.Kvs {
		values[as+strings.TrimPrefix(string(kv.Key), prefix)] = kv.Value
	}
	own, err := Start(ctx, temp, logFile)
	if err != nil {
		return err
	}
	defer own.Close()
	if err := own.Put(ctx, values); err != nil {
		return err
	}
	data, err := own.client.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("snapshot of etcd: %w", err)
	}
	defer func() { _ = data.Close() }()
	file, err := os.OpenFile(target, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // #nosec G304 -- the sandbox's own
	if err != nil {
		return err
	}
	_, err = io.Copy(file, data)
	return errors.Join(err, file.Close())
}

// Replace removes all keys below prefix and writes others there; their names lack the prefix.
func (s *Store) Replace(ctx context.Context, prefix string, keys map[string][]byte) error {
	if err := s.DeletePrefix(ctx, prefix+"/"); err != nil {
		return err
	}
	values := map[string][]byte{}
	for key, value := range keys {
		values[prefix+key] = value
	}
	return s.Put(ctx, values)
}

// ReadData returns the newest values below prefix in the database of a stopped etcd. Their names lack the prefix.
func ReadData(db, prefix string) (map[string][]byte, error) {
	b := backend.NewDefaultBackend(zap.NewNop(), db)
	defer func() { _ = b.Close() }()
	store := mvcc.NewStore(zap.NewNop(), b, &lease.FakeLessor{}, mvcc.StoreConfig{})
	defer func() { _ = store.Close() }()
	got, err := store.Range(context.Background(), []byte(prefix+"/"), []byte(clientv3.GetPrefixRangeEnd(prefix+"/")),
		mvcc.RangeOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the data of etcd: %w", err)
	}
	keys := map[string][]byte{}
	for _, kv := range got.KVs {
		keys[strings.TrimPrefix(string(kv.Key), prefix)] = kv.Value
	}
	return keys, nil
}
