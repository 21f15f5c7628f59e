package follow

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// probeTimeout limits one request to a hosted API server.
const probeTimeout = 5 * time.Second

// probeReadyz asks the API server for /readyz.
func probeReadyz(ctx context.Context, cfg *rest.Config) error {
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
	body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if res.StatusCode != http.StatusOK {
		return answered(req, res, body)
	}
	return nil
}

// answered converts an answer other than 200 into an error of the API server. Its code selects the hint for the user.
func answered(req *http.Request, res *http.Response, body []byte) error {
	refused := &apierrors.StatusError{}
	if json.Unmarshal(body, &refused.ErrStatus) != nil || refused.ErrStatus.Reason == "" {
		refused.ErrStatus.Reason = map[int]metav1.StatusReason{http.StatusUnauthorized: metav1.StatusReasonUnauthorized,
			http.StatusForbidden:          metav1.StatusReasonForbidden,
			http.StatusServiceUnavailable: metav1.StatusReasonServiceUnavailable}[res.StatusCode]
	}
	if refused.ErrStatus.Reason == "" && res.StatusCode >= http.StatusInternalServerError {
		refused.ErrStatus.Reason = metav1.StatusReasonInternalError
	}
	refused.ErrStatus.Code = int32(res.StatusCode) //nolint:gosec // a code of HTTP has three digits
	refused.ErrStatus.Message = fmt.Sprintf("%s answers %s", req.URL, res.Status)
	return refused
}
