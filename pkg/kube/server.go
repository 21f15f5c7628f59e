package kube

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/internal/informer"
)

// ServerVersion returns the version of the API server, such as "v1.33.2". It takes one request, which every
// authenticated user may make.
func (c *Client) ServerVersion(ctx context.Context) (string, error) {
	ask := func(ctx context.Context) ([]byte, error) { return c.raw(ctx, "/version") }
	var data []byte
	var err error
	if o := informer.CacheFrom(ctx); o != nil {
		data, err = o.Path(ctx, c.server, "/version", ask)
	} else {
		data, err = ask(ctx)
	}
	if err != nil {
		return "", err
	}
	var v version.Info
	if err := json.Unmarshal(data, &v); err != nil {
		return "", fmt.Errorf("%s/version does not answer as an API server does: %w", c.rest.Host, err)
	}
	return v.GitVersion, nil
}

// raw GETs a path of the API server.
func (c *Client) raw(ctx context.Context, path string) ([]byte, error) {
	cfg := dynamic.ConfigFor(c.rest)
	cfg.GroupVersion = nil
	client, err := rest.UnversionedRESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return nil, err
	}
	return client.Get().AbsPath(path).DoRaw(ctx)
}

// GetPath GETs a path of the API server, such as the version of an aggregated API; an error status is an
// apierrors.APIStatus. A watch never serves it, so a Check that uses it must set Finding.Recheck.
func (c *Client) GetPath(ctx context.Context, path string) ([]byte, error) { return c.raw(ctx, path) }
