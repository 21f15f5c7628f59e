package measuring

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/audit"
)

const auditLimit = 10 * time.Second

var lastMark atomic.Int64

// Counter counts the requests of programs in an API server's audit log.
type Counter struct {
	host string
	http *http.Client
	log  *audit.Log
}

// NewCounter starts to count. log is the path of the audit log of the config's API server.
func NewCounter(config *rest.Config, log string) (*Counter, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	l, err := audit.Open(log)
	return &Counter{config.Host, client, l}, err
}

// Requests returns the requests since the last call that have this User-Agent. A request of the counter itself proves
// that the log is complete.
func (c *Counter) Requests(ctx context.Context, program string) ([]audit.Request, error) {
	mark := fmt.Sprintf("/version?mark=%d", lastMark.Add(1))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.host+mark, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if err := res.Body.Close(); err != nil {
		return nil, err
	}
	var all []audit.Request
	err = wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, auditLimit, true, func(context.Context) (bool, error) {
		more, err := c.log.Next()
		all = append(all, more...)
		for _, r := range more {
			if r.URI == mark {
				return true, nil
			}
		}
		return false, err
	})
	if err != nil {
		return nil, fmt.Errorf("the API server's audit log: %w", err)
	}
	return audit.By(program, all), nil
}
