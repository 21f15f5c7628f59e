package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Compact forgets all versions but the newest.
func (s *Store) Compact(ctx context.Context) error {
	now, err := s.client.Get(ctx, "revision", clientv3.WithCountOnly())
	if err == nil {
		_, err = s.client.Compact(ctx, now.Header.Revision, clientv3.WithCompactPhysical())
	}
	if err != nil {
		return fmt.Errorf("compact etcd: %w", err)
	}
	return nil
}

// WaitFor returns once a value that contains what is written below the prefix.
func (s *Store) WaitFor(ctx context.Context, prefix string, what []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for change := range s.client.Watch(ctx, prefix, clientv3.WithPrefix()) {
		if err := change.Err(); err != nil {
			return fmt.Errorf("watch etcd: %w", err)
		}
		for _, event := range change.Events {
			if bytes.Contains(event.Kv.Value, what) {
				return nil
			}
		}
	}
	return errors.Join(ctx.Err(), errors.New("the watch on etcd ended"))
}

// Holds reports whether there is a key with the prefix.
func (s *Store) Holds(ctx context.Context, prefix string) (bool, error) {
	got, err := s.client.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return false, fmt.Errorf("read etcd: %w", err)
	}
	return got.Count > 0, nil
}

// Dump reads all keys of the management cluster at one revision.
func (s *Store) Dump(ctx context.Context) (map[string][]byte, error) {
	got, err := s.client.Get(ctx, ManagementPrefix+"/", clientv3.WithPrefix())
	if err != nil {
		return nil, fmt.Errorf("read etcd: %w", err)
	}
	keys := map[string][]byte{}
	for _, kv := range got.Kvs {
		if !isTransient(string(kv.Key)) {
			keys[string(kv.Key)] = kv.Value
		}
	}
	return keys, nil
}

// WaitQuiet returns once nothing below the prefix has been written for the duration rest.
func (s *Store) WaitQuiet(ctx context.Context, prefix string, rest time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes := s.client.Watch(ctx, prefix, clientv3.WithPrefix())
	timer := time.NewTimer(rest)
	defer timer.Stop()
	for {
		select {
		case change, ok := <-changes:
			if !ok {
				return errors.Join(ctx.Err(), errors.New("the watch on etcd ended"))
			}
			if err := change.Err(); err != nil {
				return err
			}
			timer.Reset(rest)
		case <-timer.C:
			return nil
		}
	}
}

// Put writes the values by key.
func (s *Store) Put(ctx context.Context, values map[string][]byte) error {
	var ops []clientv3.Op
	size := 0
	flush := func() error {
		if len(ops) == 0 {
			return nil
		}
		_, err := s.client.Txn(ctx).Then(ops...).Commit()
		ops, size = nil, 0
		if err != nil {
			return fmt.Errorf("write to etcd: %w", err)
		}
		return nil
	}
	for key, value := range values {
		if len(ops) == 100 || size+len(value) > putBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		ops = append(ops, clientv3.OpPut(key, string(value)))
		size += len(value)
	}
	return flush()
}

// transient lists the keys that another run cannot use: events, leases, and objects with ports and certificates of this
// run, such as the kubeconfigs of Open Cluster Management's agents.
var transient = []string{
	"/events/", "/leases/", "/masterleases/", "/apiregistration.k8s.io/apiservices/", "/certificatesigningrequests/",
	"/secrets/open-cluster-management-agent/",
	"/admissionregistration.k8s.io/validatingwebhookconfigurations/",
	"/admissionregistration.k8s.io/mutatingwebhookconfigurations/",
}

func isTransient(key string) bool {
	for _, prefix := range transient {
		if strings.HasPrefix(key, ManagementPrefix+prefix) {
			return true
		}
	}
	return false
}

// putBatch keeps a transaction with objects as large as CRDs below etcd's limits of 128 operations and 1.5 MiB.
const putBatch = 1 << 20

// ManagementPrefix is the prefix of the management cluster's keys.
const ManagementPrefix = "/registry"
