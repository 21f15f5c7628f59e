package reconciler

import (
	"strings"
	"sync"
	"time"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// Stages gives stages a duration, counted from their first call. A restart of the operator restarts the current stages,
// which only costs time.
type Stages struct {
	pace operator.Pace
	now  func() time.Time

	mu    sync.Mutex
	since map[string]time.Time
}

// NewStages scales every duration by pace.
func NewStages(pace operator.Pace) *Stages {
	return &Stages{pace: pace, now: time.Now, since: map[string]time.Time{}}
}

// Remaining returns the rest of the stage called key, which takes d at speed 1 from its first call. 0 means that it is
// over.
func (p *Stages) Remaining(key string, d time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	start, ok := p.since[key]
	if !ok {
		start = now
		p.since[key] = now
	}
	return max(0, p.pace.Scale(d)-now.Sub(start))
}

// Restart starts the stage called key anew at its next call.
func (p *Stages) Restart(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.since, key)
}

// Forget removes every stage whose key begins with prefix.
func (p *Stages) Forget(prefix string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.since {
		if strings.HasPrefix(key, prefix) {
			delete(p.since, key)
		}
	}
}
