package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/operator-framework/operator-registry/pkg/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const tinyCatalog = `
{"schema": "olm.package", "name": "p", "defaultChannel": "c"}
{"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1.0.0"}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v1.0.0", "image": "", "properties": [
  {"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}},
  {"type": "olm.bundle.object", "value": {"data": "eyJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIn0="}}]}
`

func TestServe(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.json"), []byte(tinyCatalog), 0o600); err != nil {
		t.Fatal(err)
	}
	srv, err := serve(t.Context(), dir, "", make(chan error, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer srv.stop()
	conn, err := grpc.NewClient(srv.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // a test's client
	stream, err := api.NewRegistryClient(conn).ListBundles(t.Context(), &api.ListBundlesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if bundle.CsvName != "p.v1.0.0" || bundle.ChannelName != "c" || bundle.BundlePath != "" || bundle.CsvJson == "" {
		t.Errorf("bundle %v: want p.v1.0.0 in channel c with its objects inline", bundle)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("after the only bundle: %v, want the end", err)
	}
}

func TestServeRefusesABrokenCatalog(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.json"), []byte(`{"schema": "olm.package"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if srv, err := serve(t.Context(), dir, "", make(chan error, 1)); err == nil {
		srv.stop()
		t.Error("a broken catalog was served")
	}
}

func TestListenUsesThePreferredAddress(t *testing.T) {
	first, err := listen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	address := first.Addr().String()
	second, err := listen(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if second.Addr().String() == address {
		t.Errorf("two listeners at %s", address)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	third, err := listen(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close() //nolint:errcheck // a test's listener
	if got := third.Addr().String(); got != address {
		t.Errorf("listens at %s, want the preferred %s", got, address)
	}
}
