package cluster

import (
	"testing"
	"time"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// At speed 1 the delays are those of Kubernetes. However fast, a namespace is not emptied at once, and what something
// holds is not looked at all the time.
func TestDelaysOfNamespaces(t *testing.T) {
	for _, c := range []struct {
		speed        float64
		estimate     int64
		grace, retry time.Duration
	}{
		{1, 15, 5 * time.Second, 8 * time.Second},
		{1, 2, 5 * time.Second, 2 * time.Second},
		{2, 15, 2500 * time.Millisecond, 4 * time.Second},
		{20, 15, time.Second, 3 * time.Second},
		{20, 60, time.Second, 3 * time.Second},
		{20, 1, time.Second, time.Second},
	} {
		n := &namespaces{pace: operator.Pace{Speed: c.speed}}
		if grace, retry := n.grace(), n.retry(c.estimate); grace != c.grace || retry != c.retry {
			t.Errorf("speed %v, estimate %d: grace %s, retry %s, want %s, %s", c.speed, c.estimate, grace, retry, c.grace,
				c.retry)
		}
	}
}
