package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/audit"
)

const auditLimit = 10 * time.Second

var lastMark atomic.Int64

// counter counts hcctl's requests by the API server's audit log.
type counter struct {
	world *world
	http  *http.Client
	log   *audit.Log
}

// counter starts to count now.
func (w *world) counter() (*counter, error) {
	client, err := rest.HTTPClientFor(w.config)
	if err != nil {
		return nil, err
	}
	log, err := audit.Open(w.Audit())
	return &counter{w, client, log}, err
}

// requests returns hcctl's requests since the last call. A request of the bench itself shows that the log is complete.
func (c *counter) requests(ctx context.Context) ([]audit.Request, error) {
	mark := fmt.Sprintf("/version?%s=%d", agent, lastMark.Add(1))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.world.config.Host+mark, http.NoBody)
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
	return audit.By("hcctl", all), nil
}

// counted runs hcctl and returns its result and its requests.
func (b *bench) counted(ctx context.Context, w *world, args ...string) (ended, []audit.Request, error) {
	c, err := w.counter()
	if err != nil {
		return ended{}, nil, err
	}
	e, err := run(ctx, w.env, b.hcctl, args...)
	if err != nil {
		return e, nil, err
	}
	requests, err := c.requests(ctx)
	return e, requests, err
}

// later returns the requests for further pages of lists.
func later(requests []audit.Request) int {
	n := 0
	for _, r := range requests {
		if r.Verb == "list" && strings.Contains(r.URI, "continue=") {
			n++
		}
	}
	return n
}

// unpaged returns the requests for whole lists.
func unpaged(requests []audit.Request) int {
	n := 0
	for _, r := range requests {
		if r.Verb == "list" && !strings.Contains(r.URI, "limit=") {
			n++
		}
	}
	return n
}

// byKind returns the requests as bars: verb and resource.
func byKind(requests []audit.Request) []point {
	var points []point
	at := map[string]int{}
	for _, r := range requests {
		label := r.Verb + " " + orElse(r.Resource, r.URI)
		if _, ok := at[label]; !ok {
			at[label] = len(points)
			points = append(points, point{Label: label})
		}
		points[at[label]].Y++
	}
	return points
}
