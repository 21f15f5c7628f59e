package follow

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// probeTimeout bounds one request to a hosted API server.
const probeTimeout = 5 * time.Second

// probeReadyz asks the API server of the kubeconfig for /readyz.
func probeReadyz(ctx context.Context, access *adminkubeconfig.Access) error {
	cfg := access.RESTConfig()
	cfg.Timeout = probeTimeout
	c, err := transport.HTTPClient(cfg)
	if err != nil {
		return fmt.Errorf("the kubeconfig cannot be used: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, cfg.Host+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("the kubeconfig cannot be used: %w", err)
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", req.URL, res.Status)
	}
	return nil
}
