package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/operator-framework/operator-registry/pkg/api"
	"github.com/operator-framework/operator-registry/pkg/cache"
	"github.com/operator-framework/operator-registry/pkg/server"
	"google.golang.org/grpc"
	health "google.golang.org/grpc/health/grpc_health_v1"
)

// served is a served catalog.
type served struct {
	address string
	stop    func()
}

// serve loads the file-based catalog in dir and serves it at the preferred address if that is free, else on a free
// loopback port. If serving ends by itself, serve sends the reason to failed.
func serve(ctx context.Context, dir, preferred string, failed chan<- error) (*served, error) {
	scratch, err := os.MkdirTemp("", "olm-catalog-")
	if err != nil {
		return nil, err
	}
	// The JSON cache is enough: small catalogs need no database.
	store, err := cache.New(scratch, cache.WithFormat(cache.FormatJSON))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	drop := func() { _ = errors.Join(store.Close(), os.RemoveAll(scratch)) }
	if err := cache.LoadOrRebuild(ctx, store, os.DirFS(dir)); err != nil {
		drop()
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	listener, err := listen(ctx, preferred)
	if err != nil {
		drop()
		return nil, err
	}
	srv := grpc.NewServer()
	api.RegisterRegistryServer(srv, server.NewRegistryServer(store))
	health.RegisterHealthServer(srv, server.NewHealthServer())
	go func() {
		if err := srv.Serve(listener); err != nil {
			failed <- fmt.Errorf("serve %s: %w", dir, err)
		}
	}()
	return &served{address: listener.Addr().String(), stop: func() { srv.Stop(); drop() }}, nil
}

func listen(ctx context.Context, preferred string) (net.Listener, error) {
	var config net.ListenConfig
	if preferred != "" {
		if listener, err := config.Listen(ctx, "tcp", preferred); err == nil {
			return listener, nil
		}
	}
	return config.Listen(ctx, "tcp", "127.0.0.1:0")
}
