package kube

import "context"

// GetPath GETs a path of the API server, such as that of an aggregated API's version, and returns the body. An error status
// is an apierrors.APIStatus. Such a read is never served from a watch: a Check that uses it asks to be asked again.
func (c *Client) GetPath(ctx context.Context, path string) ([]byte, error) { return c.raw(ctx, path) }
