package kube

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// ServerVersion returns the version of the API server, such as "v1.33.2". It costs one request, which every
// authenticated user may make.
func (c *Client) ServerVersion(ctx context.Context) (string, error) {
	data, err := c.GetPath(ctx, versionPath)
	if err != nil {
		return "", err
	}
	return c.gitVersion(data)
}

const versionPath = "/version"

// gitVersion returns the version in an answer of /version.
func (c *Client) gitVersion(data []byte) (string, error) {
	var v version.Info
	if err := json.Unmarshal(data, &v); err != nil {
		return "", fmt.Errorf("%s/version does not answer as an API server does: %w", c.rest.Host, err)
	}
	return v.GitVersion, nil
}

// GetPath GETs a path of the API server, such as the version of an aggregated API; an error status is an
// apierrors.APIStatus. No watch covers it, so a Check that uses it must set Finding.Recheck.
func (c *Client) GetPath(ctx context.Context, path string) ([]byte, error) {
	return c.getPath(ctx, path, runtime.ContentTypeJSON)
}

func (c *Client) getPath(ctx context.Context, path, accept string) ([]byte, error) {
	cfg := dynamic.ConfigFor(c.rest)
	cfg.GroupVersion, cfg.AcceptContentTypes = nil, accept
	client, err := rest.UnversionedRESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return nil, err
	}
	answer := client.Get().AbsPath(path).Do(ctx)
	data, err := answer.Raw()
	if apierrors.IsUnauthorized(err) {
		err = answer.Error() // Raw drops the causes
	}
	return data, err
}
