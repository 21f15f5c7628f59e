package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/audit"
)

// own is the User-Agent of hcctl.
const own = "hcctl"

// counter starts to count requests now.
func (w *testbed) counter() (*measuring.Counter, error) {
	return measuring.NewCounter(w.config, w.Audit())
}

// counted runs hcctl and returns its result and its requests.
func (b *bench) counted(ctx context.Context, w *testbed, args ...string) (measuring.Ended, []audit.Request, error) {
	c, err := w.counter()
	if err != nil {
		return measuring.Ended{}, nil, err
	}
	e, err := measuring.Run(ctx, w.env, b.hcctl, args...)
	if err != nil {
		return e, nil, err
	}
	requests, err := c.Requests(ctx, own)
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
		label := r.Verb + " " + cmp.Or(r.Resource, r.URI)
		if _, ok := at[label]; !ok {
			at[label] = len(points)
			points = append(points, point{Label: label})
		}
		points[at[label]].Y++
	}
	return points
}
